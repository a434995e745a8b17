"""scikit-learn's own checks on every encoder."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer.encode import (
    BagOfWords,
    Bins,
    Chain,
    DropMissing,
    Impute,
    Log,
    MinMax,
    OneHot,
    Polynomial,
    TopLevels,
    UnitLength,
    ZScore,
    coded_recipe,
    dense_recipe,
)


@parametrize_with_checks(
    [
        ZScore(), ZScore(center=False), MinMax(), UnitLength(), Impute(), Impute("mode", indicator=True), DropMissing(),
        OneHot(), TopLevels(), TopLevels(3, on=["x0"]), Bins(), Bins(cut="width"), Bins(cut="kmeans"), Bins(cut="mdl"),
        Polynomial(), Log(shift=1.0), BagOfWords(), Chain([("fill", Impute()), ("scale", ZScore())]),
        dense_recipe(), coded_recipe(),
    ]
)  # fmt: skip
def test_scikit_learn_compatible(estimator, check):
    check(estimator)
