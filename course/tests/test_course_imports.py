"""The course stands on the package, and the package knows nothing of the course."""

import ast

from course.assignments import COURSE, ROOT


def imported(path):
    """The modules that a file imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_the_package_never_imports_the_course():
    for folder in ("bandits", "tools"):
        for path in (ROOT / folder).rglob("*.py"):
            assert "course" not in {name.split(".")[0] for name in imported(path)}, path


def test_no_module_of_the_course_is_long_or_in_a_circle():
    modules = {path.stem: path for path in COURSE.glob("*.py") if path.stem != "nbgrader_config"}
    uses = {}
    for name, path in modules.items():
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 250, name
        parts = [one.split(".") for one in imported(path) if one.startswith("course.")]
        uses[name] = {part[1] for part in parts} & set(modules)
    while uses:
        free = {name for name, needs in uses.items() if not needs & set(uses)}
        assert free, f"these import each other in a circle: {sorted(uses)}"
        uses = {name: needs for name, needs in uses.items() if name not in free}
