"""One thread for torch, BLAS and OpenMP alike while a run is computed.

Products and solves differ in the last bits between one thread and two, and then so does every
later decision. One process per core is faster than one process on two cores, too.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from threadpoolctl import threadpool_limits


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit this process to one thread, and restore the limits afterwards.

    torch counts its threads apart from the libraries; it is limited only if it is loaded.
    """
    torch = sys.modules.get("torch")
    before = torch.get_num_threads() if torch is not None else 1
    with threadpool_limits(limits=1):
        if torch is not None:
            torch.set_num_threads(1)
        try:
            yield
        finally:
            if torch is not None:
                torch.set_num_threads(before)
