"""A page as PDF, printed by a Chromium that is installed; without one there is no PDF."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final

BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_SECONDS: Final = 120


def print_page(page: str, path: Path) -> str:
    """Print a page to a PDF file with everything unfolded; returns why not, or an empty text."""
    browser = next((program for name in BROWSERS if (program := shutil.which(name))), None)
    if browser is None:
        return (
            f"{path} was not written: Chromium was not found; install it (Debian: apt install "
            "chromium), or print the page from a browser"
        )
    unfolded = page.replace('<details class="table"', '<details open class="table"')
    # Chromium repeats the heading of a table on every page, unless it holds buttons to sort by.
    unfolded = re.sub(r"<script.*?</script>", "", unfolded, flags=re.DOTALL)
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "page.html"), Path(folder, "page.pdf")
        source.write_text(unfolded, "utf-8")
        command = [browser, "--headless", "--disable-gpu", "--no-pdf-header-footer",
                   f"--user-data-dir={folder}/profile", f"--print-to-pdf={target}",
                   source.as_uri()]  # fmt: skip
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            command.insert(1, "--no-sandbox")  # Chromium has no sandbox for root
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=_SECONDS)
            shutil.copyfile(target, path)
        except (OSError, subprocess.SubprocessError) as error:
            return f"{path} was not written: {browser} failed ({type(error).__name__})"
    return ""
