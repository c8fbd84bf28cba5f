"""How do I compare strategies on a cluster?

Here the cluster is two processes on this machine. On a real one, start `dask scheduler` and
`dask worker` with the same version of Tribridge, and pass the scheduler's address instead.
"""

import sys

from distributed import LocalCluster

import tribridge as tb

DEALS = int(sys.argv[1]) if len(sys.argv) > 1 else 300


def main() -> None:
    """Play on two workers; the result is the same wherever the games are played."""
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        contest = tb.compare(
            "points+maxims", "points+random", deals=DEALS, cluster=cluster.scheduler_address
        )
    print(contest.summary())


if __name__ == "__main__":
    main()
