"""What a fingerprint tells of code and of the objects that it holds.

A definition is told by its syntax tree; the names of the user's own modules that it refers to are
told by their values, so that a table read from a file counts by its content.
"""

import ast
import hashlib
import importlib.util
import json
import pickle
import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from types import FunctionType, ModuleType
from typing import Any

from bandits.checks import UsageError
from bandits.experiments.source import (
    canonical,
    classes_of,
    imported,
    is_own,
    is_own_file,
    nodes_of,
    parsed,
)


class Told:
    """Tells of values, each object once.

    Attributes:
        modules: the names of modules that were met, in full and their first parts.
    """

    def __init__(self) -> None:
        self.modules: set[str] = set()
        self._seen: dict[int, tuple[int, Any]] = {}

    def of(self, value: Any) -> Any:
        """What is told of a value, as JSON values."""
        if value is None or isinstance(value, bool | int | float | str):
            return repr(value) if isinstance(value, float) else value
        refuse_shared(type(value).__qualname__, value)
        if id(value) in self._seen:
            return {"again": self._seen[id(value)][0]}
        self._seen[id(value)] = len(self._seen), value  # kept, so that no other takes its id
        return self._new(value)

    def _new(self, value: Any) -> Any:
        if getattr(value, "is_code", False):
            return self.of(value.value)
        if isinstance(value, bytes):
            return {"bytes": hashlib.sha256(value).hexdigest()}
        if hasattr(value, "__array_interface__") and value.dtype != object:
            content = hashlib.sha256(value.tobytes()).hexdigest()
            return {"array": content, "shape": list(value.shape), "type": value.dtype.str}
        if isinstance(value, list | tuple):
            return [self.of(part) for part in value]
        if isinstance(value, set | frozenset):
            return {"set": sorted(json.dumps(self.of(part)) for part in value)}
        if isinstance(value, Mapping):
            return {"items": [[self.of(key), self.of(part)] for key, part in value.items()]}
        if isinstance(value, partial):
            return [self.of(value.func), self.of(value.args), self.of(value.keywords)]
        if isinstance(value, ModuleType):
            return self._module(value)
        if isinstance(value, type):
            return self._class(value)
        if isinstance(value, FunctionType):
            return self._function(value)
        if hasattr(value, "__func__"):  # a bound method
            return [self.of(value.__func__), self.of(value.__self__)]
        if callable(value) and hasattr(value, "__qualname__"):  # built in
            return self._named(value)
        return self._object(value)

    def _named(self, value: Any) -> str:
        module = str(getattr(value, "__module__", None))
        self.modules |= {module, module.partition(".")[0]}
        return f"{'' if module.startswith('bandits.') else module + ':'}{value.__qualname__}"

    def _object(self, value: Any) -> Any:
        kind = type(value)
        if hasattr(value, "get_params") and not isinstance(value, type):  # scikit-learn's
            return {"is": self.of(kind), "has": self.of(value.get_params(deep=False))}
        if is_dataclass(value):
            parts = {part.name: self.of(getattr(value, part.name)) for part in fields(value)}
            return {"is": self.of(kind), **parts}
        if is_own(sys.modules.get(kind.__module__)):
            return {"is": self.of(kind), "has": self.of(vars(value))}
        self._named(kind)
        try:
            return {"is": kind.__qualname__, "pickle": self.of(pickle.dumps(value, protocol=4))}
        except Exception as error:  # whatever stands in its way
            raise UsageError(
                f"a fingerprint cannot tell what {value!r} holds ({error}); let a function of "
                "your file make it where it is needed"
            ) from error

    def _module(self, module: ModuleType) -> Any:
        self.modules |= {module.__name__, module.__name__.partition(".")[0]}
        if not is_own(module) or module.__file__ is None:
            return module.__name__
        return {"module": module.__name__, **self._file(module.__file__, module.__package__)}

    def _file(self, file: str, package: str | None) -> dict[str, Any]:
        tree = parsed(file)
        return {"source": canonical(tree), "imports": self._imports(tree, package)}

    def _imports(self, tree: ast.AST, package: str | None) -> list[Any]:
        """What a source imports of the user's own modules, loaded or not."""
        found = []
        for name in sorted(set(imported(tree, package))):
            self.modules |= {name, name.partition(".")[0]}
            if name in sys.modules:
                if is_own(sys.modules[name]):
                    found.append(self.of(sys.modules[name]))
                continue
            try:
                spec = importlib.util.find_spec(name)
            except (ImportError, ValueError, AttributeError):  # a name in a module, or none at all
                continue
            if spec is not None and spec.origin and spec.has_location and is_own_file(spec.origin):
                found.append([name, self._file(spec.origin, spec.parent)])
        return found

    def _function(self, function: FunctionType) -> Any:
        module = sys.modules.get(function.__module__)
        code = function.__code__
        if code.co_filename == "<string>" and code.co_name.startswith("__"):
            return function.__qualname__  # a dataclass made it
        if not is_own(module):
            return self._named(function)
        nodes = nodes_of(code)
        if not nodes:
            raise no_source(function)
        cells = [cell.cell_contents for cell in function.__closure__ or () if _is_full(cell)]
        return {
            "source": [canonical(node) for node in nodes],
            "uses": self._uses(nodes, function.__globals__),
            "holds": self.of(cells),
            "defaults": [self.of(function.__defaults__), self.of(function.__kwdefaults__)],
        }

    def _class(self, kind: type) -> Any:
        module = sys.modules.get(kind.__module__)
        if module is None or not is_own(module):
            return self._named(kind)
        functions = [f for value in vars(kind).values() for f in _functions(value)]
        files = [getattr(module, "__file__", None)]
        files += [f.__code__.co_filename for f in functions]
        nodes = [n for file in dict.fromkeys(files) for n in classes_of(file, kind.__qualname__)]
        if not nodes:
            raise no_source(kind)
        plain = {
            name: self.of(value)
            for name, value in vars(kind).items()
            if not name.startswith("__") and isinstance(value, int | float | str | tuple)
        }
        return {
            "source": [canonical(node) for node in nodes],
            "uses": self._uses(nodes, vars(module)),
            "bases": [self.of(base) for base in kind.__bases__],
            "methods": [self.of(function) for function in functions],
            "values": plain,
        }

    def _uses(self, nodes: list[ast.AST], there: Mapping[str, Any]) -> dict[str, Any]:
        """The values of a module's names that a definition refers to."""
        parts = [part for node in nodes for part in ast.walk(node)]
        for part in parts:
            refuse_shared(*_meant(part, there))
        names = {part.id for part in parts if isinstance(part, ast.Name)}
        used = {name: self.of(there[name]) for name in sorted(names) if name in there}
        imports = [self._imports(node, there.get("__package__")) for node in nodes]
        return used | {"import": imports} if any(imports) else used


GENERATORS = {
    ("numpy", "Generator"),
    ("numpy", "RandomState"),
    ("numpy", "BitGenerator"),
    ("random", "Random"),
    ("torch", "Generator"),
}
"""Random generators, by the package and name of their class."""


def refuse_shared(name: str, value: Any) -> None:
    """Refuse a random generator, or a function of one, that would live on from run to run.

    Raises:
        UsageError: naming it, and what a run gives.
    """
    for kind in (*type(value).__mro__, *type(getattr(value, "__self__", None)).__mro__):
        if (kind.__module__.partition(".")[0], kind.__name__) in GENERATORS:
            raise UsageError(
                f"{name} draws from a random generator that all runs would share, so that each "
                "would depend on those before it; a run gives generator, of which generator(t) is "
                "for the step t, and the seeds weights and batches"
            )


def _meant(node: ast.AST, there: Mapping[str, Any]) -> tuple[str, Any]:
    """A name, or a name in modules such as np.random.rand, and its value; None if it has none."""
    if isinstance(node, ast.Name):
        return node.id, there.get(node.id)
    if isinstance(node, ast.Attribute):
        name, module = _meant(node.value, there)
        if isinstance(module, ModuleType):
            return f"{name}.{node.attr}", getattr(module, node.attr, None)
    return "", None


def no_source(value: Any) -> UsageError:
    """The error for what was typed at a prompt."""
    return UsageError(
        f"the source of {value.__qualname__} cannot be read, so that its runs could not be "
        "distinguished from another's; define it in a file"
    )


def _is_full(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


def _functions(value: Any) -> Iterator[FunctionType]:
    if isinstance(value, staticmethod | classmethod):
        value = value.__func__
    for part in (value.fget, value.fset) if isinstance(value, property) else (value,):
        if isinstance(part, FunctionType):
            yield part
