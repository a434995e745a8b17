"""mercer.train: from a table to a comparison of learners, a report and a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypedDict, Unpack, overload

from mercer.select.thresholds import Threshold
from mercer.table import KindSpec
from mercer.table.kinds.missing import Markers, as_markers
from mercer.workbench.arguments import checks_arguments
from mercer.workbench.chunked.job import cluster
from mercer.workbench.training.options import TrainOptions, names
from mercer.workbench.training.result import TrainResult
from mercer.workbench.training.results import TrainResults
from mercer.workbench.training.several import open_any


class TrainArguments(TypedDict, total=False):
    """The options of `train` as type checkers see them; its docstring says what each means."""

    cost: Any
    threshold: Threshold | str | float | None
    positive: Any
    prefer: Literal["accurate", "simple", "fast"]
    imbalance: str
    calibrate: Literal["auto", "none", "sigmoid", "isotonic"]
    time: str | float | None
    time_budget: str | float | None
    time_column: str | None
    metric: str | None
    learners: str | Sequence[str] | None
    kinds: Mapping[str, KindSpec] | None
    task: Literal["classification", "regression"] | None
    drop: str | Sequence[str]
    weight: Any
    group: Any
    missing: Markers
    separator: str | None
    header: bool | None
    sheet: str | int | None
    query: str | None
    table_name: str | None
    folds: int | None
    test_size: float
    quick: bool
    seed: int
    scheduler: Any
    progress: Callable[[str, float], None] | None


@overload
def train(data: Any, target: str | int, **options: Unpack[TrainArguments]) -> TrainResult: ...


@overload
def train(data: Any, target: Any, **options: Unpack[TrainArguments]) -> TrainResult | TrainResults: ...


@checks_arguments
def train(
    data: Any,
    target: Any,
    *,
    cost: Any = None,
    threshold: Threshold | str | float | None = None,
    positive: Any = None,
    prefer: Literal["accurate", "simple", "fast"] = "accurate",
    imbalance: str = "none",
    calibrate: Literal["auto", "none", "sigmoid", "isotonic"] = "auto",
    time: str | float | None = None,
    time_budget: str | float | None = None,
    time_column: str | None = None,
    metric: str | None = None,
    learners: str | Sequence[str] | None = None,
    kinds: Mapping[str, KindSpec] | None = None,
    task: Literal["classification", "regression"] | None = None,
    drop: str | Sequence[str] = (),
    weight: Any = None,
    group: Any = None,
    missing: Markers = (),
    separator: str | None = None,
    header: bool | None = None,
    sheet: str | int | None = None,
    query: str | None = None,
    table_name: str | None = None,
    folds: int | None = None,
    test_size: float = 0.2,
    quick: bool = False,
    seed: int = 0,
    scheduler: Any = None,
    progress: Callable[[str, float], None] | None = None,
) -> TrainResult | TrainResults:
    """Learn to predict a column: compare learners on the same rows and fit the best of them to every row.

    Each learner is cross-validated on the training rows and scored on rows held out before any learner was fitted. An
    ensemble, a weighted mean of learners, is compared with them: its weights are chosen on other rows than it is scored
    on.
    `mercer train` in the terminal is this function.

    Of several files ("data/*.parquet"), a folder or a Dask data frame, the table is read whole where it fits in memory
    and no `scheduler` is named. Else the learners of `mercer.scale.learners_in_chunks()` are fitted by passes over its
    chunks, ranked by rows set aside for validation in place of cross-validation, and scored on rows held out; both are
    drawn by their numbers, whatever the chunks.

    Parameters
    ----------
    data : str, Path, data frame, mapping, ndarray, sparse matrix, Source, Table or Chunks
        The rows: a file or anything else that `mercer.read_table` takes, or a table in chunks: a pattern of files, a
        folder, a Dask data frame, a pyarrow dataset, `mercer.scale.as_chunks(...)`. Rows without a target are left out.
    target : str, int, list of str or array-like of shape (n_rows,)
        The column to predict: its name, its place (1 is the first, -1 the last), or its values. A list of names for
        several columns, of classes or numbers: learners are compared for each, and no learner sees another target.
    cost : str, Path, mapping, data frame, array or None, default None
        What errors cost: a missed positive row and a false alarm, {"fn": 20, "fp": 1} or "fn=20,fp=1", where the name
        of a column takes the amount of each row; each pair of classes, {true class: {class called: cost}}, a square
        array, or a CSV file with the classes in its header and first column. Decisions and the ranking are by it.
    threshold : str, float or None, default None
        From which probability a row is called positive: "cost", "youden", "f1", "mcc", "accuracy", "balanced_accuracy",
        "f1_macro", "f1_weighted", "recall=0.9", "precision=0.5", "top=100" (the 100 most probable rows of a table) or a
        number. Chosen on rows held out in cross-validation, and stored in the model. None: that of least cost where
        `cost` is given, the best one by a `metric` that depends on it, else the more probable class.
    positive : str, int, bool or None, default None
        Which of two classes is the positive one; None for the rarer.
    prefer : {"accurate", "simple", "fast"}, default "accurate"
        Which model is kept: that with the best score; or of those within one standard error of it the simplest, or the
        one that predicts fastest.
    imbalance : str, default "none"
        Remedies for rare classes, tried by cross-validation and kept where they pay beyond error: "over", "under",
        "smote", "borderline", "adasyn", "tomek", "edited" (rows resampled inside the training folds) or "bagging"
        (several under-sampled fits, averaged), on every learner; "auto" for all of them on the two best learners, with
        one-class detection beside them. `notices` say what each did.
    calibrate : {"auto", "none", "sigmoid", "isotonic"}, default "auto"
        Whether the probabilities of the model that is kept are recalibrated by a sigmoid or isotonic regression of
        their log-odds, where log loss in cross-validation falls by it beyond error; "auto" tries both. `notices` say
        where they are, and of a method that was named also where it does not pay.
    time : float, str or None, default None
        A number of seconds, also "60s", "5m", "1h": a `time_budget`. Any other text: a `time_column`.
    time_budget : float, str or None, default None
        What the whole run may take, from reading to the model: learners are run in order of cheapness on as many rows
        and folds as there is time for, which `notices` tell; then further settings of them, for the ensemble. None for
        no limit.
    time_column : str or None, default None
        A column of numbers or dates: train on earlier rows, test on later ones.
    metric : str or None, default None
        What learners search by and are ranked by, e.g. "roc_auc", "average_precision", "log_loss", "f1", "mcc", "r2",
        "mae". None: cost where `cost` is given, ROC AUC of two classes, accuracy of several, R² of numbers. One that
        depends on which of two classes rows are called, such as "f1", chooses the threshold too.
    learners : str, sequence of str or None, default None
        Only these: "naive_bayes", "linear", "svm", "tree", "boosting", "forest", "extra_trees", "neighbours", "local",
        "perceptron", "baseline", and "ensemble" for a weighted mean of those.
    kinds : mapping of str to kind, or None, default None
        Kinds of columns in place of those inferred, as in `mercer.read_table`.
    task : {"classification", "regression"} or None, default None
        None infers it from the target.
    drop : str or sequence of str, default ()
        Columns that learners do not see, or parts of dates, such as "signup (month)".
    weight : str, array of shape (n_rows,) or None, default None
        The weight of each row, in fits and scores; or the column that has it.
    group : str, array of shape (n_rows,) or None, default None
        Rows with the same value are kept together in folds and held-out rows; or the column of these values.
    missing : str, sequence or mapping, default ()
        Further cells that mean "missing": ["unknown", -9] in every column, {"income": [99, -1]} in one.
    separator : str or None, default None
        Of a text file; None finds it from the text.
    header : bool or None, default None
        Whether line 1 of a text file names the columns; None finds it from the text.
    sheet : str, int or None, default None
        Which sheet of a workbook, by name or by number from 1; None for the first that holds a table.
    query : str or None, default None
        What to read from a database: a query that only reads.
    table_name : str or None, default None
        Which table of a database, in place of a query; None if it has but one.
    folds : int or None, default None
        Folds of the cross-validation, 2 to 20. None: 5, or 3 when `quick`.
    test_size : float, default 0.2
        Share of the rows held out for the final test, 0.05 to 0.5.
    quick : bool, default False
        Three folds, not repeated: faster, with wider intervals.
    seed : int, default 0
        Seed of every random choice: the same seed gives the same result.
    scheduler : str, distributed.Client or None, default None
        The address of a Dask scheduler, such as "tcp://10.0.0.5:8786", whose workers read the chunks, or its client.
    progress : callable or None, default None
        Called as `progress(what, share)` while work goes on, `share` rising from 0 to 1.

    Returns
    -------
    result : TrainResult or TrainResults
        Leaderboard, model and report; of several targets, a TrainResult under the name of each, with one report and
        one model file for all.

    Raises
    ------
    BadTable, BadColumn, BadTarget
        The table cannot be read or learned from, or there is no such column.
    MercerError
        An option does not make sense.

    Examples
    --------
    >>> import mercer
    >>> result = mercer.train(mercer.load_penguins(), "Species", learners=["naive_bayes", "baseline"], quick=True)
    >>> result.best.title
    'Naive Bayes'
    >>> result.predict(mercer.load_penguins())[:2].tolist()
    ['Adelie Penguin (Pygoscelis adeliae)', 'Adelie Penguin (Pygoscelis adeliae)']
    """
    options = TrainOptions(
        task=task,
        kinds=kinds,
        missing=as_markers(missing),
        separator=separator,
        header=header,
        sheet=sheet,
        query=query,
        table_name=table_name,
        learners=names(learners) or None,
        metric=metric,
        cost=cost,
        positive=positive,
        threshold=threshold,
        prefer=prefer,
        imbalance=imbalance,
        calibrate=calibrate,
        drop=names(drop),
        weight=weight,
        group=group,
        time=time,
        time_budget=time_budget,
        time_column=time_column,
        folds=folds,
        test_size=test_size,
        quick=quick,
        seed=seed,
        scheduler=scheduler,
    )
    with cluster(options):
        return open_any(data, target, options, progress).run(progress)
