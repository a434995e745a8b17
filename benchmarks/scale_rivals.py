"""Rivals of learners in chunks, for the interpreter in which they are installed (MERCER_RIVALS):

    python scale_rivals.py RIVAL FILE ...

fits one to the Parquet files on a cluster of two worker processes of a thread each, and prints a JSON object: seconds
by the clock from reading to the fitted model, and its log loss on the first file.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from time import perf_counter

NUMBERS = [f"x{j}" for j in range(1, 24)]  # without gaps, which not every rival takes


def main():
    distributed = import_module("distributed")
    rival, paths = sys.argv[1], sys.argv[2:]
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "host": "127.0.0.1"}
    with distributed.LocalCluster(**options, silence_logs=50) as cluster, distributed.Client(cluster) as client:
        RIVALS[rival](paths[:1], client)  # workers import what they need
        start = perf_counter()
        model = RIVALS[rival](paths, client)
        taken = perf_counter() - start
    print(json.dumps({"seconds": taken, "loss": loss(model, paths[0])}))


def loss(model, path):
    """Log loss on a file, by scikit-learn's function; dask-ml's logistic regression takes its coefficients."""
    np, pd, metrics = map(import_module, ("numpy", "pandas", "sklearn.metrics"))
    frame = pd.read_parquet(path)
    X, yes = frame[NUMBERS].to_numpy(), (frame["y"] == "yes").to_numpy()
    if isinstance(model, tuple):
        likely = 1 / (1 + np.exp(-(X @ model[0] + model[1])))
    else:
        likely = np.asarray(model.predict_proba(X))[:, 1]
    return float(metrics.log_loss(yes, likely))


def arrays(paths):
    """Numbers and classes as Dask arrays of a chunk for each file, which the workers hold."""
    da, delayed = import_module("dask.array"), import_module("dask").delayed
    sizes = [import_module("pyarrow.parquet").read_metadata(path).num_rows for path in paths]
    frames = [delayed(import_module("pandas").read_parquet)(path, columns=[*NUMBERS, "y"]) for path in paths]
    X = [
        da.from_delayed(delayed(numbers)(frame), (n, len(NUMBERS)), float)
        for frame, n in zip(frames, sizes, strict=True)
    ]
    y = [da.from_delayed(delayed(classes)(frame), (n,), "int8") for frame, n in zip(frames, sizes, strict=True)]
    held = import_module("dask").persist(da.concatenate(X), da.concatenate(y))
    import_module("distributed").wait(held)
    return held


def numbers(frame):
    return frame[NUMBERS].to_numpy()


def classes(frame):
    return (frame["y"] == "yes").to_numpy().astype("int8")


def logistic(paths, client):
    X, y = arrays(paths)
    model = import_module("dask_ml.linear_model").LogisticRegression(C=1.0).fit(X, y)
    return model.coef_.ravel(), float(model.intercept_)


def bayes(paths, client):
    X, y = arrays(paths)
    model = import_module("dask_ml.naive_bayes").GaussianNB().fit(X, y)
    known = import_module("sklearn.naive_bayes").GaussianNB()
    known.classes_, known.theta_, known.var_, known.class_prior_ = (
        import_module("numpy").asarray(values)
        for values in import_module("dask").compute(model.classes_, model.theta_, model.sigma_, model.class_prior_)
    )
    return known


def boosting(paths, client):
    lightgbm = import_module("lightgbm")
    X, y = arrays(paths)
    settings = {"n_estimators": 20, "learning_rate": 0.1, "num_leaves": 31, "min_child_samples": 20, "max_bin": 255}
    return lightgbm.DaskLGBMClassifier(client=client, verbosity=-1, **settings).fit(X, y).to_local()


RIVALS = {"logistic": logistic, "bayes": bayes, "boosting": boosting}


if __name__ == "__main__":
    main()
