"""What the tests of the course share: no download, and nobody's own settings."""

import atexit
import os
import shutil
import tempfile
import warnings

import pytest

from bandits import mnist

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # nbgrader's own
    from classroom import Room, run_nothing


os.environ.setdefault(mnist.VARIABLE, "sample")
_cache = tempfile.mkdtemp(prefix="course-tests-")
atexit.register(shutil.rmtree, _cache, ignore_errors=True)
os.environ["JUPYTER_RUNTIME_DIR"] = os.path.join(_cache, "jupyter")
os.environ["IPYTHONDIR"] = os.path.join(_cache, "ipython")
os.environ.setdefault("MPLCONFIGDIR", os.path.join(_cache, "matplotlib"))


@pytest.fixture
def room(tmp_path, monkeypatch):
    """A classroom in which nothing that is handed in runs; every test passes."""
    run_nothing(monkeypatch)
    return Room(tmp_path)
