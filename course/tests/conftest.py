"""What the tests of the course share: no download, and nobody's own settings."""

import atexit
import os
import shutil
import tempfile

from bandits import mnist

os.environ.setdefault(mnist.VARIABLE, "sample")
_cache = tempfile.mkdtemp(prefix="course-tests-")
atexit.register(shutil.rmtree, _cache, ignore_errors=True)
os.environ["JUPYTER_RUNTIME_DIR"] = os.path.join(_cache, "jupyter")
os.environ["IPYTHONDIR"] = os.path.join(_cache, "ipython")
os.environ.setdefault("MPLCONFIGDIR", os.path.join(_cache, "matplotlib"))
