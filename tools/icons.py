"""Regenerate the icons of the app from `icon.svg`: `python -m tools.icons`."""

from __future__ import annotations

from pathlib import Path

from tests.club.browsing import browser
from tribridge.club.pages import static_files

STATIC = Path(static_files.__file__).parent.parent / "static"
ICONS = {"icon-192": (192, False), "icon-512": (512, False), "icon-maskable-512": (512, True)}
"""Sizes in pixels, and whether the picture fills the square so that a mask may cut its corners."""


def main() -> None:
    """Draw all icons with Chromium."""
    svg = (STATIC / "icon.svg").read_text("utf-8")
    with browser() as chrome:
        for name, (size, maskable) in ICONS.items():
            picture = svg.replace(' rx="7"', "") if maskable else svg
            if maskable:  # the cards within the middle 80% that every mask leaves
                picture = picture.replace("scale(.84)", "scale(.68)")
            page = chrome.new_page(viewport={"width": size, "height": size})
            style = f"html, body {{ margin: 0 }} svg {{ display: block; width: {size}px }}"
            page.set_content(f"<style>{style}</style>{picture}")
            page.screenshot(path=STATIC / f"{name}.png", omit_background=True)
            page.close()


if __name__ == "__main__":
    main()
