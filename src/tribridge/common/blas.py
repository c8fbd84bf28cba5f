"""Products of matrices in one thread.

A network that answers about one choice multiplies small matrices, and BLAS divides even these among
all cores. Its threads then wait for each other in busy loops: while others use the machine, a card
of `learned` took eight times the processor time that it takes in one thread. What is large enough
to be divided, we divide ourselves, among processes or threads.
"""

from __future__ import annotations

from contextlib import ContextDecorator
from functools import cache
from threading import Lock
from typing import Any, Final


class _OneBlasThread(ContextDecorator):
    """Limits BLAS to one thread, in a `with` block or as a decorator.

    The limit applies to the whole process. The first thread to enter sets it and the last to leave
    restores it: if each restored what it saw, a limit of one could persist. While other threads
    multiply, OpenBLAS may report one thread although more are allowed, so the highest number ever
    reported is restored.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._inside = 0
        self._threads: list[int] = []

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                libraries = _blas().lib_controllers
                reported = [library.num_threads for library in libraries]
                self._threads = list(map(max, reported, self._threads or reported))
                for library in libraries:
                    library.set_num_threads(1)
            self._inside += 1

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                for library, threads in zip(_blas().lib_controllers, self._threads, strict=True):
                    library.set_num_threads(threads)


ONE_BLAS_THREAD: Final = _OneBlasThread()


@cache
def _blas() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")
