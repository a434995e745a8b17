"""A Dask cluster on this machine, of a process for each worker."""

from distributed import LocalCluster


def local_cluster(n_workers=2):
    return LocalCluster(
        n_workers=n_workers, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, silence_logs=50
    )
