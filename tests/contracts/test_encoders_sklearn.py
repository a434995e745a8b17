"""scikit-learn's own checks on every encoder."""

from sklearn.utils.estimator_checks import parametrize_with_checks

import mercer
from mercer import encode as e

ENCODERS = [
    *(e.ZScore(), e.ZScore(center=False), e.MinMax(), e.UnitLength()),
    *(e.Impute(), e.Impute("mode", indicator=True), e.DropMissing()),
    *(e.OneHot(), e.TopLevels(), e.TopLevels(3, on=["x0"])),
    *(e.Bins(), e.Bins(cut="width"), e.Bins(cut="kmeans"), e.Bins(cut="mdl")),
    *(e.Polynomial(), e.Log(shift=1.0), e.BagOfWords()),
    *(mercer.SelectByForest(n_estimators=5), mercer.SelectByForest(1, n_estimators=5)),
    *(e.Chain([("fill", e.Impute()), ("scale", e.ZScore())]), e.dense_recipe(), e.categorical_recipe()),
]


@parametrize_with_checks(ENCODERS)
def test_scikit_learn_compatible(estimator, check):
    check(estimator)
