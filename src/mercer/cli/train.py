"""mercer train: the main job, from a table to a report and a model."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer

from mercer.cli import options
from mercer.cli.config import Config
from mercer.cli.console import reporting
from mercer.cli.loading import loading

_TARGET_HELP = (
    "The column to predict: its name, or its place (1 is the first, -1 the last). Repeatable: learners are compared "
    "for each target, and one model predicts all."
)
_TASK_HELP = "classification or regression; inferred from the target when not given."
_FOLDS_HELP = "Folds of the cross-validation (5 when not given)."
_QUICK_HELP = "3 folds, not repeated: faster, with wider intervals."
_LEARNER_HELP = (
    "Only this learner, e.g. naive_bayes, linear, tree, boosting, forest; with ensemble, also a mean of those named. "
    "Run only by name: kernel_ridge, kernel_logistic, least_squares_svm, relevance, and column_weights and "
    "measure_weights, which say how much each column, and each measure of its levels, counts. "
    "Repeatable. All others when not given."
)
_METRIC_HELP = (
    "What learners search by and are ranked by, and what the threshold of two classes is chosen by where it depends on "
    "one, e.g. roc_auc, average_precision, log_loss, f1, recall, mcc, balanced_accuracy, r2, mae. "
    "When not given: cost where --cost is, roc_auc of two classes, accuracy of several, r2 of numbers."
)
_COST_HELP = (
    "What errors cost: a missed positive row and a false alarm, e.g. fn=20,fp=1, where a column's name takes the "
    "amount of each row (fn=amount,fp=1), and what is not given costs 1; each pair of several classes, e.g. "
    "'a>b=5,b>a=1' (true>called); or a matrix.csv with the classes in its header and first "
    "column. Decisions and the ranking are then by cost."
)
_POSITIVE_HELP = "Which of two classes is the positive one; the rarer when not given."
_THRESHOLD_HELP = (
    "From which probability a row is called positive: cost (least cost, when --cost is given), f1, mcc, youden, "
    "accuracy, balanced_accuracy, f1_macro, f1_weighted (when that is the --metric), recall=0.9 (the largest precision "
    "with that recall), precision=0.5 (the largest recall with that precision), top=100 (the 100 most probable rows "
    "of a table), or a number. Chosen on rows held out in cross-validation, stored in the model, used by predict."
)
_PREFER_HELP = (
    "Which model is written: accurate, that with the best score; or of those within one standard error of it, simple, "
    "the simplest, or fast, the one that predicts fastest."
)
_IMBALANCE_HELP = (
    "Remedies for rare classes, kept where they pay in cross-validation: over, under, smote, borderline, adasyn, "
    "tomek, edited or bagging on every learner, auto for all of them on the two best, none."
)
_CALIBRATE_HELP = (
    "Whether probabilities of the model that is written are recalibrated, where log loss in cross-validation falls by "
    "it beyond error: sigmoid, isotonic, auto for the better of both, none."
)
_DROP_HELP = "A column that learners do not see, or a part of its dates: 'signup (month)'. Repeatable."
_WEIGHT_HELP = "A column with the weight of each row, in fits and scores."
_GROUP_HELP = "Rows with the same cell of this column are kept together in folds and held-out rows."
_TIME_HELP = (
    "A time budget for the whole run, e.g. 60, 90s, 5m, 1h: learners get the rows and folds that there is time for. "
    "Or a column of numbers or dates: train on earlier rows, test on later ones."
)
_BUDGET_HELP = "A time budget, where a column is called like one."
_COLUMN_HELP = "A column to split by time, where its name looks like a time budget."
_FORCE_HELP = "Replace report.html, model.mercer and result.json in DIR also where no run wrote them."
_SCHEDULER_HELP = "Address of a Dask scheduler (tcp://10.0.0.5:8786), whose workers read the table in chunks."
_TEST_HELP = "Share of the rows held out for the final test."


def train(
    table: options.Table = None,
    target: Annotated[
        list[str] | None,
        typer.Option("--target", "-t", metavar="COLUMN", help=_TARGET_HELP, show_default=False),
    ] = None,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="Folder for report, model and result.")
    ] = Path("mercer-out"),
    force: Annotated[bool, typer.Option("--force", help=_FORCE_HELP)] = False,
    config: Config = None,
    kind: options.Kinds = None,
    missing: options.Missing = None,
    separator: options.Separator = None,
    header: options.Header = None,
    sheet: options.Sheet = None,
    query: options.Query = None,
    table_name: options.TableName = None,
    task: Annotated[str | None, typer.Option(metavar="TASK", help=_TASK_HELP)] = None,
    learner: Annotated[list[str] | None, typer.Option(metavar="KEY", help=_LEARNER_HELP, show_default=False)] = None,
    metric: Annotated[str | None, typer.Option(metavar="KEY", help=_METRIC_HELP, show_default=False)] = None,
    cost: Annotated[str | None, typer.Option(metavar="COSTS", help=_COST_HELP, show_default=False)] = None,
    positive: Annotated[str | None, typer.Option(metavar="CLASS", help=_POSITIVE_HELP, show_default=False)] = None,
    threshold: Annotated[str | None, typer.Option(metavar="RULE", help=_THRESHOLD_HELP, show_default=False)] = None,
    prefer: Annotated[str, typer.Option(metavar="WHICH", help=_PREFER_HELP)] = "accurate",
    imbalance: Annotated[str, typer.Option(metavar="METHOD", help=_IMBALANCE_HELP)] = "none",
    calibrate: Annotated[str, typer.Option(metavar="METHOD", help=_CALIBRATE_HELP)] = "auto",
    drop: Annotated[list[str] | None, typer.Option(metavar="COLUMN", help=_DROP_HELP, show_default=False)] = None,
    weight: Annotated[str | None, typer.Option(metavar="COLUMN", help=_WEIGHT_HELP, show_default=False)] = None,
    group: Annotated[str | None, typer.Option(metavar="COLUMN", help=_GROUP_HELP, show_default=False)] = None,
    time: Annotated[str | None, typer.Option(metavar="BUDGET|COLUMN", help=_TIME_HELP, show_default=False)] = None,
    time_budget: Annotated[str | None, typer.Option(metavar="SECONDS", help=_BUDGET_HELP, show_default=False)] = None,
    time_column: Annotated[str | None, typer.Option(metavar="COLUMN", help=_COLUMN_HELP, show_default=False)] = None,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Seed of every random choice.")] = 0,
    folds: Annotated[int | None, typer.Option(min=2, max=20, show_default=False, help=_FOLDS_HELP)] = None,
    test_size: Annotated[float, typer.Option(min=0.05, max=0.5, help=_TEST_HELP)] = 0.2,
    quick: Annotated[bool, typer.Option("--quick", help=_QUICK_HELP)] = False,
    scheduler: Annotated[str | None, typer.Option(metavar="ADDRESS", help=_SCHEDULER_HELP, show_default=False)] = None,
    as_json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Learn to predict a column of TABLE: compare learners, write a report and the best model.

    A pattern in quotes or a folder is one table of many files. One that does not fit in memory is learned by passes
    over its chunks, in this process or by the workers of a Dask scheduler.

    \b
    Examples:
      mercer train
      mercer train customers.csv --target churn
      mercer train houses.csv --target price --out houses --kind zip=category
      mercer train scores.tsv --target -1 --task regression --quick
      mercer train customers.csv --target churn --learner tree --learner linear
      mercer train customers.csv --target churn --metric average_precision --drop zip
      mercer train customers.csv --target churn --cost fn=20,fp=1 --time 5m
      mercer train customers.csv --target churn --cost fn=price,fp=5
      mercer train customers.csv --target churn --prefer simple
      mercer train customers.csv --target churn --imbalance auto
      mercer train customers.csv --target churn --target price
      mercer train --config run.toml --seed 3
      mercer train 'data/*.parquet' --target churn
    """
    start = perf_counter()
    with reporting("train", debug, as_json):
        with loading():
            from mercer.cli.jobs.train import run
            from mercer.workbench.training.options import TrainOptions

        chosen = TrainOptions(
            task=task,
            learners=tuple(learner) if learner else None,
            metric=metric,
            positive=positive,
            cost=cost,
            threshold=threshold,
            prefer=prefer,
            imbalance=imbalance,
            calibrate=calibrate,
            drop=tuple(drop or ()),
            weight=weight,
            group=group,
            time=time,
            time_budget=time_budget,
            time_column=time_column,
            folds=folds,
            quick=quick,
            test_size=test_size,
            seed=seed,
            scheduler=scheduler,
        )
        kinds, markers = tuple(kind or ()), tuple(missing or ())
        reading = options.Reading(table, markers, separator, header, kinds, sheet, query, table_name)
        run(reading, tuple(target or ()), options.Output(out, force, as_json), chosen, start)
