"""The source of the user's code: whose a module is, and a definition without its layout."""

import ast
import importlib.util
import linecache
import sysconfig
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any


def is_own(module: ModuleType | None) -> bool:
    """Whether a module is the user's: neither of this package, nor installed, nor Python's."""
    if module is None or module.__name__.partition(".")[0] == "bandits":
        return False
    file = getattr(module, "__file__", None)
    return module.__name__ == "__main__" or (file is not None and is_own_file(file))


def is_own_file(file: str) -> bool:
    """Whether a file lies where nothing is installed."""
    path = Path(file).resolve()
    installed = (
        sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")
    )
    return not any(path.is_relative_to(Path(folder).resolve()) for folder in installed)


@cache
def _parsed_text(text: str) -> ast.Module:
    return ast.parse(text)


def parsed(file: str | None) -> ast.Module:
    """The syntax tree of a file or notebook cell; an empty one where there is no source."""
    text = "".join(linecache.getlines(file)) if file else ""
    try:
        return _parsed_text(text)
    except SyntaxError:  # a file that has been edited meanwhile; its old self is what runs
        return ast.Module([], [])


def nodes_of(code: CodeType) -> list[ast.AST]:
    """The definitions that begin where this code does: several lambdas may share a line."""
    defined = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    found: list[ast.AST] = []
    for node in ast.walk(parsed(code.co_filename)):
        if isinstance(node, defined):
            decorators = getattr(node, "decorator_list", [])
            if min([node.lineno, *(d.lineno for d in decorators)]) == code.co_firstlineno:
                found.append(node)
    return found


def classes_of(file: str | None, name: str) -> list[ast.AST]:
    """The classes of a file that have the last part of this name."""
    last = name.rpartition(".")[2]
    return [n for n in ast.walk(parsed(file)) if isinstance(n, ast.ClassDef) and n.name == last]


def imported(tree: ast.AST, package: str | None) -> Iterator[str]:
    """The full names of what a source may import, modules and what is in them alike."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                base = importlib.util.resolve_name("." * node.level + base, package or "")
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def canonical(node: Any) -> Any:
    """A syntax tree as JSON values, without what changes nothing: layout, comments, docstrings.

    Nothing that is empty is told, so that versions of Python which add fields agree.
    """
    if isinstance(node, list):
        return [canonical(part) for part in node if not _says_nothing(part)]
    if not isinstance(node, ast.AST):
        return repr(node)
    told = {
        name: canonical(value)
        for name, value in ast.iter_fields(node)
        if name not in ("ctx", "kind", "type_comment", "type_ignores")
        and not (value is None and name != "value")
        and value != []
    }
    return [type(node).__name__, told]


def _says_nothing(node: Any) -> bool:
    """Whether a statement is a docstring, or another text that stands alone."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
