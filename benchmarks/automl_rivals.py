"""One system at work on one table, for the interpreter in which it is installed:

    python automl_rivals.py SYSTEM settings.json FOLDER

reads train.csv (target: the column "target") and test.csv of FOLDER and writes predicted.csv there: a column of
numbers, or a column of probabilities per class.
"""

from __future__ import annotations

import csv
import json
import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

JOBS = 2


def main() -> None:
    system, settings, folder = sys.argv[1], json.loads(sys.argv[2]), Path(sys.argv[3])
    names, values = SYSTEMS[system](folder, **settings)
    with (folder / "predicted.csv").open("w", newline="") as lines:
        writer = csv.writer(lines)
        writer.writerow(names)
        writer.writerows(np.asarray(values, dtype=np.float64).reshape(len(values), -1).tolist())


Answer = tuple[Sequence[str], Any]


def mercer(folder: Path, seconds: float, is_regression: bool, seed: int) -> Answer:
    task, metric = ("regression", "r2") if is_regression else ("classification", "roc_auc")
    train = import_module("mercer").train
    result = train(folder / "train.csv", "target", time=seconds, seed=seed, task=task, metric=metric)
    test = folder / "test.csv"
    if is_regression:
        return ["target"], result.predict(test)
    return list(map(str, result.model.classes_)), result.predict_proba(test)


def autogluon(folder: Path, seconds: float, is_regression: bool, seed: int) -> Answer:
    tabular = import_module("autogluon.tabular")
    train, test = (tabular.TabularDataset(str(folder / f"{name}.csv")) for name in ("train", "test"))
    n_classes = train["target"].nunique()
    kind = "regression" if is_regression else "binary" if n_classes == 2 else "multiclass"
    metric = {"regression": "r2", "binary": "roc_auc", "multiclass": "roc_auc_ovr_macro"}[kind]
    predictor = tabular.TabularPredictor(
        "target", problem_type=kind, eval_metric=metric, path=str(folder / "autogluon"), verbosity=0
    )
    predictor.fit(train, time_limit=seconds, presets="good_quality", num_cpus=JOBS)
    if is_regression:
        return ["target"], predictor.predict(test).to_numpy()
    found = predictor.predict_proba(test)
    return list(map(str, found.columns)), found.to_numpy()


def lightgbm(folder: Path, seconds: float, is_regression: bool, seed: int) -> Answer:
    """LightGBM with native categories; Optuna chooses its settings on held-out rows until the time is over."""
    start = time.perf_counter()
    library, optuna = import_module("lightgbm"), import_module("optuna")
    selection, metrics = import_module("sklearn.model_selection"), import_module("sklearn.metrics")
    train, test = _frames(folder)
    y = train.pop("target")
    make = library.LGBMRegressor if is_regression else library.LGBMClassifier
    fixed = {"n_jobs": JOBS, "verbosity": -1, "random_state": seed}
    x_fit, x_held, y_fit, y_held = selection.train_test_split(
        train, y, test_size=0.25, random_state=seed, stratify=None if is_regression else y
    )
    slowest = 0.0

    def loss(trial: Any) -> float:
        nonlocal slowest
        began = time.perf_counter()
        chosen = {
            "learning_rate": trial.suggest_float("learning_rate", 0.01, 0.3, log=True),
            "n_estimators": trial.suggest_int("n_estimators", 50, 500, log=True),
            "num_leaves": trial.suggest_int("num_leaves", 4, 128, log=True),
            "min_child_samples": trial.suggest_int("min_child_samples", 2, 100, log=True),
            "colsample_bytree": trial.suggest_float("colsample_bytree", 0.3, 1.0),
            "subsample": trial.suggest_float("subsample", 0.5, 1.0),
            "subsample_freq": 1,
            "reg_lambda": trial.suggest_float("reg_lambda", 1e-3, 30, log=True),
        }
        model = make(**fixed, **chosen).fit(x_fit, y_fit)
        trial.set_user_attr("settings", chosen)
        slowest = max(slowest, time.perf_counter() - began)
        if is_regression:
            return float(metrics.mean_squared_error(y_held, model.predict(x_held)))
        return float(metrics.log_loss(y_held, model.predict_proba(x_held), labels=model.classes_))

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
    while not study.trials or time.perf_counter() - start + 2.5 * slowest < seconds:  # the last fit is on all rows
        study.optimize(loss, n_trials=1)
    model = make(**fixed, **study.best_trial.user_attrs["settings"]).fit(train, y)
    if is_regression:
        return ["target"], model.predict(test)
    return list(map(str, model.classes_)), model.predict_proba(test)


def forest(folder: Path, seconds: float, is_regression: bool, seed: int) -> Answer:
    """500 trees of scikit-learn's on one-hot levels."""
    compose, ensemble = import_module("sklearn.compose"), import_module("sklearn.ensemble")
    impute, preprocessing = import_module("sklearn.impute"), import_module("sklearn.preprocessing")
    pipeline = import_module("sklearn.pipeline")
    train, test = _frames(folder, as_category=False)
    y = train.pop("target")
    texts = [c for c in train if train[c].dtype.kind not in "ifb"]
    numbers = [c for c in train if c not in texts]
    columns = compose.make_column_transformer(
        (preprocessing.OneHotEncoder(handle_unknown="ignore", max_categories=50), texts),
        (impute.SimpleImputer(strategy="median"), numbers),
    )
    make = ensemble.RandomForestRegressor if is_regression else ensemble.RandomForestClassifier
    model = pipeline.make_pipeline(columns, make(500, n_jobs=JOBS, random_state=seed)).fit(train, y)
    if is_regression:
        return ["target"], model.predict(test)
    return list(map(str, model.classes_)), model.predict_proba(test)


def _frames(folder: Path, as_category: bool = True) -> tuple[Any, Any]:
    pandas = import_module("pandas")
    train, test = (pandas.read_csv(folder / f"{name}.csv") for name in ("train", "test"))
    for name in test:
        if train[name].dtype.kind not in "ifb" and as_category:
            train[name] = train[name].astype("category")
            test[name] = pandas.Categorical(test[name], categories=train[name].cat.categories)
    train.columns = ["target" if c == "target" else f"x{i}" for i, c in enumerate(train)]  # LightGBM refuses some names
    test.columns = [c for c in train.columns if c != "target"]
    return train, test


SYSTEMS: dict[str, Callable[..., Answer]] = {
    "mercer": mercer,
    "autogluon": autogluon,
    "lightgbm": lightgbm,
    "forest": forest,
}

if __name__ == "__main__":
    main()
