"""A Dask cluster on this machine, of a process for each worker."""

import dask
from distributed import LocalCluster
from distributed.utils import get_mp_context

# Workers are copies of a process that has imported what they need: two seconds less of a core for each of them, and for
# each that follows one that was killed.
dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"})
get_mp_context().set_forkserver_preload(
    [
        "distributed",
        "dask.dataframe",
        "mercer.scale.fitting",
        "mercer.scale.learners.kernel_machines",
        "mercer.scale.learners.linear",
        "mercer.scale.learners.linear_svm",
        "mercer.scale.learners.logistic",
        "mercer.scale.learners.tree.boosting",
    ]
)


def local_cluster(n_workers=2):
    return LocalCluster(
        n_workers=n_workers, threads_per_worker=1, host="127.0.0.1", dashboard_address=":0", silence_logs=50
    )
