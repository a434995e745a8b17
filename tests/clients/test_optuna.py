"""optuna searches the cost of a support vector machine."""

from __future__ import annotations

import pytest
from sklearn.model_selection import cross_val_score

import mercer

from .people import X, Y


def test_a_study_of_five_trials() -> None:
    optuna = pytest.importorskip("optuna")

    def accuracy(trial: optuna.Trial) -> float:
        cost = trial.suggest_float("C", 1e-3, 1e2, log=True)
        return cross_val_score(mercer.SVC(C=cost), X, Y, cv=3).mean()

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.RandomSampler(seed=1))
    study.optimize(accuracy, n_trials=5)
    assert len(study.trials) == 5 and study.best_value == max(t.value for t in study.trials)
    again = cross_val_score(mercer.SVC(**study.best_params), X, Y, cv=3).mean()
    assert again == study.best_value > (Y == "no").mean()
