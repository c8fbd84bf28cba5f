"""What is seen of HTML: white space that nobody sees is left out."""

from __future__ import annotations

import re

_BLOCKS = re.compile(
    "html|head|body|title|meta|link|script|main|header|footer|nav|section|article|aside|div|p|h[1-4]"
    "|ul|ol|li|dl|dt|dd|table|thead|tbody|tfoot|tr|th|td|caption|fieldset|legend|details|summary"
    "|dialog|option|optgroup|figure|figcaption|hr|br|template|g|path|rect|circle|line|polyline"
    "|polygon|use|symbol|defs"
)
"""Elements around which, and at whose edges, white space is not seen."""
_CONTAINERS = frozenset({"button", "select", "svg"})
"""Elements at whose edges inside it is not seen."""
_INLINE = re.compile(
    r'class="[^"]*\b(mini|name|opponent|deal|suit|verdict|range|rubber-tag|watching|avatar)\b'
)
"""Blocks that a style sheet puts into a line."""
_TAG = re.compile(r"""(<[a-zA-Z/!](?:[^>"']|"[^"]*"|'[^']*')*>)""")
_EXACT = ("<script", "<style", "<pre", "<textarea")


def visible(html: str) -> str:
    r"""HTML, one tag or text a line, without white space that nobody sees.

    >>> visible("<p>a  <b>b</b>\n</p> <p>c</p>") == visible("<p>\na <b>b</b></p><p>c</p>")
    True
    >>> visible("<p>a <b>b</b></p>") == visible("<p>a<b>b</b></p>")
    False
    """
    pieces = [piece for piece in _TAG.split(html) if piece]
    lines = []
    for at, piece in enumerate(pieces):
        before = pieces[at - 1] if at else "<br>"
        after = pieces[at + 1] if at + 1 < len(pieces) else "<br>"
        if _TAG.fullmatch(piece):
            lines.append(_tag(piece))
        elif before.startswith(_EXACT):
            lines.append(piece)
        else:
            text = re.sub(r"[ \t\n\r\f]+", " ", piece)
            empty = not before.startswith("</") and after == f"</{_name(before)}>"
            if text != " " or not empty:  # an element with a space is not `:empty`
                text = text.removeprefix(" ") if _edge(before, opens=True) else text
                text = text.removesuffix(" ") if _edge(after, opens=False) else text
            lines += [text] if text else []
    return "\n".join(lines)


def _tag(tag: str) -> str:
    """A tag with single spaces between its attributes."""
    parts = re.split(r"""("[^"]*"|'[^']*')""", tag)
    parts[::2] = [re.sub(r"\s+", " ", part) for part in parts[::2]]
    return re.sub(r"\s+(/?>)$", r"\1", "".join(parts))


def _name(tag: str) -> str:
    return re.sub(r"[</>]", " ", tag).split()[0].lower()


def _edge(tag: str, *, opens: bool) -> bool:
    """Whether white space after (or before) a tag is not seen."""
    name = _name(tag)
    if name in _CONTAINERS:
        return tag.startswith("</") is not opens
    return bool(_BLOCKS.fullmatch(name)) and not (_INLINE.search(tag) and not tag.startswith("</"))
