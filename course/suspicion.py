"""What a person should look at: answers out of the package, patched tests, notebooks alike.

None of this changes a mark. Each remark says what was seen, not what it means.
"""

from __future__ import annotations

import ast
import itertools
import re
import tokenize
from collections.abc import Iterable, Iterator
from io import StringIO
from keyword import iskeyword
from typing import Any

from course.assignments import source

ANSWERS = {
    *("random_pull_pmf", "expected_random_pulls", "vacuous_until"),  # a_lemma_under_test
    *("exponent_for_risk", "mean_interval", "paired_difference"),  # choose_the_schedule
}
"""Functions of the package that are answers of an assignment."""
TESTERS = {"np", "numpy", "builtins", "__builtins__", "math", "random_pull_pmf", "IPython", "sys"}
"""Names whose attributes nobody needs to set."""
ODD = {
    # Not n_hidden or N_HIDDEN, as everybody calls the units of a network.
    r"\bsource/|course[./]source|\w_hidden['\"]|HIDDEN[_ ]TEST": "names the folder of solutions or "
    "hidden tests",
    r"\bsqlite3\b|gradebook|book\.json|done\.ipynb": "names the grader's files",
    r"\bos\.(kill|killpg|getppid|fork|setsid)\b|\bpsutil\b": "reaches for other processes",
    r"\bsubprocess\b|\bos\.(system|popen|exec\w*|spawn\w*)\b|^\s*[!%]": "starts other programs",
    r"\b(ctypes|gc|inspect|settrace|setprofile|_getframe)\b": "looks into the running program",
    r"\b(socket|urllib|requests|http\.client)\b": "uses the network",
    r"get_ipython|\b_ih\b|\bIn\[|displayhook|ast_transformers": "reaches for the cells",
    r"HIDDEN_TEST_SEED|\benviron\b": "reads the environment",
    r"\.\./|/etc/|/home/|/proc/|expanduser": "names files outside its folder",
}
SHINGLE = 6
"""Words in a row that are compared."""
SAME_CODE, SAME_TEXT = 0.8, 0.5
"""From these shares of common shingles on, two notebooks are listed."""
LEAST = 40
"""A written answer of fewer words is not compared."""


def remarks(notebook: Any) -> list[str]:
    """What is odd in the cells of one notebook that the student may change."""
    found: dict[str, str] = {}
    for cell in notebook.cells:
        kind = cell.metadata.get("nbgrader") or {}
        if cell.cell_type != "code" or kind.get("locked"):
            continue
        where = f"in {kind['grade_id']!r}" if kind.get("grade_id") else "in a cell of its own"
        for what in (*_tree_remarks(cell.source), *_text_remarks(cell.source)):
            found.setdefault(what, where)
    return [f"{what} ({where})" for what, where in found.items()]


def _text_remarks(code: str) -> Iterator[str]:
    for pattern, what in ODD.items():
        if match := re.search(pattern, code, flags=re.MULTILINE):
            yield f"{what}: {match[0].strip()!r}"


def _tree_remarks(code: str) -> Iterator[str]:
    """Imports of answers, and values given to what the tests use."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            module = getattr(node, "module", None) or ""
            for alias in node.names:
                whole = f"{module}.{alias.name}".strip(".")
                if alias.name in ANSWERS or whole.startswith("bandits.theory"):
                    yield f"imports an answer: {whole}"
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            owner = ast.unparse(node.value).split(".")[0]
            if owner in TESTERS:
                yield f"sets {ast.unparse(node)}"
        elif isinstance(node, ast.Attribute) and node.attr in ANSWERS:
            yield f"uses an answer: {ast.unparse(node)}"
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "setattr" and node.args:
            yield f"sets an attribute of {ast.unparse(node.args[0])[:40]}"
        elif isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Name):
            name = node.id if isinstance(node, ast.Name) else node.name
            stores = not isinstance(node, ast.Name) or isinstance(node.ctx, ast.Store)
            if stores and name in ("AssertionError", "np", "numpy", "isclose", "allclose"):
                yield f"gives another meaning to {name}"


def words_of_code(notebook: Any) -> list[str]:
    """The code of the answers with every name, number and text replaced by its kind."""
    words: list[str] = []
    for cell in notebook.cells:
        kind = cell.metadata.get("nbgrader") or {}
        if cell.cell_type == "code" and not kind.get("locked"):
            try:
                for token in tokenize.generate_tokens(StringIO(cell.source).readline):
                    if token.type == tokenize.NAME:
                        words.append(token.string if iskeyword(token.string) else "name")
                    elif token.type == tokenize.OP:
                        words.append(token.string)
                    elif token.type == tokenize.NUMBER:
                        words.append("number")
            except (tokenize.TokenError, IndentationError, SyntaxError):
                continue
    return words


def words_of_text(notebook: Any) -> list[str]:
    """The words of the written answers."""
    words: list[str] = []
    for cell in notebook.cells:
        kind = cell.metadata.get("nbgrader") or {}
        if kind.get("grade") and kind.get("solution"):
            words += re.findall(r"\w+", cell.source.lower())
    return words


def shingles(words: list[str]) -> set[tuple[str, ...]]:
    """All runs of SHINGLE words."""
    return {tuple(words[i : i + SHINGLE]) for i in range(len(words) - SHINGLE + 1)}


def alike(notebooks: Iterable[tuple[str, Any]], name: str) -> Iterator[tuple[str, str, str]]:
    """Pairs of notebooks of an assignment that are nearly the same, the published one included."""
    everybody = [*notebooks, ("the published solution", source(name))]
    code = {who: shingles(words_of_code(notebook)) for who, notebook in everybody}
    texts = {who: words_of_text(notebook) for who, notebook in everybody}
    text = {who: shingles(w) if len(w) >= LEAST else set() for who, w in texts.items()}
    for one, other in itertools.combinations([who for who, _ in everybody], 2):
        for what, parts, bound in (("code", code, SAME_CODE), ("written answer", text, SAME_TEXT)):
            a, b = parts[one], parts[other]
            share = len(a & b) / max(len(a | b), 1)
            if share >= bound:
                yield one, other, f"the {what} is the same to {share:.0%}"
