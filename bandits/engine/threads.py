"""How the processor and the libraries treat numbers while a run is computed.

Products and solves differ in the last bits between one thread and two, and then so does every
later decision. One process per core is faster than one process on two cores, too. The
calling program may have changed how NumPy treats overflow, or torch's default type of numbers.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

import numpy as np
from threadpoolctl import threadpool_limits


@contextmanager
def one_thread(*, networks: bool = False) -> Iterator[None]:
    """Limit this process to one thread and to plain float32, and restore both afterwards.

    torch counts its threads apart from the libraries. It is limited only if it is loaded, which it
    is for networks.
    """
    if networks:
        import_module("bandits.networks")
    torch = sys.modules.get("torch")
    if torch is not None:
        threads, dtype = torch.get_num_threads(), torch.get_default_dtype()
        precision = torch.get_float32_matmul_precision()
    with (
        threadpool_limits(limits=1),
        np.errstate(divide="warn", over="warn", under="ignore", invalid="warn"),
    ):
        try:
            if torch is not None:
                torch.set_num_threads(1)
                torch.set_default_dtype(torch.float32)
                torch.set_float32_matmul_precision("highest")
            yield
        finally:
            if torch is not None:
                torch.set_num_threads(threads)
                torch.set_default_dtype(dtype)
                torch.set_float32_matmul_precision(precision)


@contextmanager
def flushed_denormals() -> Iterator[None]:
    """Take numbers below 1e-38 as 0 while networks are trained, where the processor can.

    Adam's moments of weights that no longer move decay into that range, where some processors need
    a hundred times as long for a product. Rewards and decisions were the same with and without.
    """
    import torch

    # 1e-39 times 1 is 0 only where they are flushed already; torch has no way to ask.
    before = float(torch.tensor(1e-39) * 1) == 0
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(before)
