"""Docstrings that are shown to users, also where `python -OO` has left them out."""

from __future__ import annotations

import ast
from inspect import cleandoc, getsource
from textwrap import dedent
from typing import Any


def docstring(documented: Any) -> str:
    """The docstring of a class or function, from its source if need be.

    Examples:
        >>> docstring(docstring).partition(",")[0]
        'The docstring of a class or function'
    """
    if documented.__doc__:
        return cleandoc(documented.__doc__)
    try:
        (node,) = ast.parse(dedent(getsource(documented))).body
    except (OSError, SyntaxError, TypeError, ValueError):  # a class of no file
        return ""
    known = isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
    return (ast.get_docstring(node) if known else None) or ""  # type: ignore[arg-type]
