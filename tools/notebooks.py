"""The notebooks of `examples/`, run cell by cell, with what they show.

`python -m tools.notebooks` (also part of `make golden`) runs them and stores the outputs; a test
checks that the text in them is current. Jupyter is not needed.
"""

from __future__ import annotations

import ast
import base64
import io
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tribridge.common.files import write_atomic

EXAMPLES = Path(__file__).parents[1] / "examples"
NOTEBOOKS = sorted(EXAMPLES.glob("*.ipynb"))
DPI = 80

Output = dict[str, Any]
"""An output of a cell, in the form of the notebook format."""


class Notebook:
    """A notebook, its namespace and its cells."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.content = json.loads(path.read_text("utf-8"))
        self.names: dict[str, Any] = {"__name__": "__main__", "display": self._display}
        self._text = io.StringIO()
        self._outputs: list[Output] = []

    @property
    def cells(self) -> list[dict[str, Any]]:
        """The code cells."""
        return [cell for cell in self.content["cells"] if cell["cell_type"] == "code"]

    def run(self) -> Iterator[tuple[dict[str, Any], list[Output]]]:
        """Run the code cells in order: each with its outputs."""
        with _shown_figures(self._show):
            for cell in self.cells:
                self._outputs = []
                tree = ast.parse("".join(cell["source"]))
                last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
                with redirect_stdout(self._text):
                    exec(compile(tree, self.path.name, "exec"), self.names)
                    if isinstance(last, ast.Expr):
                        code = compile(ast.Expression(last.value), self.path.name, "eval")
                        self._display(eval(code, self.names))
                self._flush()
                yield cell, self._outputs

    def _flush(self) -> None:
        if text := self._text.getvalue():
            self._outputs.append(
                {"output_type": "stream", "name": "stdout", "text": text.splitlines(True)}
            )
            self._text.seek(0)
            self._text.truncate()

    def _display(self, value: object) -> None:
        if value is None:
            return
        drawn = {
            kind: text.splitlines(True)
            for kind, method in (("text/html", "_repr_html_"), ("image/svg+xml", "_repr_svg_"))
            if (text := getattr(value, method, lambda: None)())
        }
        plain = str(value) if drawn else repr(value)  # the representation of a table is long
        data = {"text/plain": plain.splitlines(True), **drawn}
        self._add(data)

    def _show(self, png: bytes) -> None:
        self._add({"image/png": base64.b64encode(png).decode()})

    def _add(self, data: dict[str, Any]) -> None:
        self._flush()
        self._outputs.append({"output_type": "display_data", "metadata": {}, "data": data})

    def renewed(self) -> str:
        """The file with fresh outputs."""
        for number, (cell, outputs) in enumerate(self.run(), 1):
            cell["execution_count"], cell["outputs"] = number, outputs
        return json.dumps(self.content, indent=1, ensure_ascii=False) + "\n"


@contextmanager
def _shown_figures(show: Callable[[bytes], None]) -> Iterator[None]:
    """Let `plt.show()` pass on the open figures as pictures."""
    import matplotlib.pyplot as plt

    def shown() -> None:
        for number in plt.get_fignums():
            drawn = io.BytesIO()
            plt.figure(number).savefig(drawn, dpi=DPI, bbox_inches="tight")
            show(drawn.getvalue())
        plt.close("all")

    plt.switch_backend("agg")
    plt.close("all")  # what others in this process left open
    with patch.object(plt, "show", shown):
        yield


def main() -> None:
    """Run all notebooks, or those named, and store their outputs."""
    for path in NOTEBOOKS:
        if not sys.argv[1:] or path.stem in sys.argv[1:]:
            write_atomic(path, Notebook(path).renewed())
            print(f"{path.name}: renewed")


if __name__ == "__main__":
    main()
