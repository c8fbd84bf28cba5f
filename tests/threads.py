"""Code that asks for something from many threads at the same moment, in a fresh process."""

from __future__ import annotations

import subprocess
import sys

_SCRIPT = """
import sys
import threading

THREADS = {threads}

{setup}


def work(at):
{work}


barrier = threading.Barrier(THREADS)
results = [None] * THREADS


def run(at):
    barrier.wait()
    results[at] = work(at)


sys.setswitchinterval(1e-6)  # change threads as often as possible
threads = [threading.Thread(target=run, args=(at,)) for at in range(THREADS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(results)
{after}
"""


def results_of_threads(setup: str, work: str, threads: int = 4, after: str = "") -> str:
    """What `work`, the body of a function of the thread's number `at`, returns in each thread.

    The code in `after` runs at the end, and what it prints follows the results.
    A process of its own, because what is made on first use is made only once in each process.
    """
    body = "\n".join(f"    {line}" for line in work.splitlines())
    script = _SCRIPT.format(threads=threads, setup=setup, work=body, after=after)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, f"exit code {done.returncode}: {done.stderr[-2000:]}"
    return done.stdout.strip()
