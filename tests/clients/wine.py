"""A program as scikit-learn's users write it, which knows nothing of mercer: scores as JSON on stdout."""

import json
from importlib.util import find_spec

from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, export_text, plot_tree


def drawn(tree: DecisionTreeClassifier) -> int:
    """The number of boxes in the drawing of a tree."""
    if find_spec("matplotlib") is None:
        return 0
    import matplotlib  # noqa: PLC0415

    matplotlib.use("Agg")
    return len(plot_tree(tree))


def main() -> None:
    X, y = load_wine(return_X_y=True, as_frame=True)
    train, test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)

    machine = Pipeline([("scale", StandardScaler()), ("svc", SVC())])
    search = GridSearchCV(machine, {"svc__C": [0.1, 1, 10], "svc__gamma": ["scale", 0.1]}, cv=3)
    search.fit(train, y_train)
    tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(train, y_train)
    neighbours = make_pipeline(StandardScaler(), KNeighborsClassifier(5, weights="distance"))
    logistic = make_pipeline(StandardScaler(), LogisticRegression(C=0.5, tol=1e-8))
    print(
        json.dumps(
            {
                "classes": [type(m).__module__ for m in (search.best_estimator_["svc"], tree, GaussianNB())],
                "parameters": search.best_params_,
                "search": search.cv_results_["mean_test_score"].tolist(),
                "svc": search.score(test, y_test),
                "tree": accuracy_score(y_test, tree.predict(test)),
                "rules": [line.split("<=")[0] for line in export_text(tree, feature_names=list(X)).splitlines()[:2]],
                "boxes": drawn(tree),
                "importance": X.columns[tree.feature_importances_.argmax()],
                "bayes": cross_val_score(GaussianNB(), X, y, cv=5).tolist(),
                "neighbours": cross_val_score(neighbours, X, y, cv=5).tolist(),
                "logistic": cross_val_score(logistic, X, y, cv=5, scoring="neg_log_loss").tolist(),
            }
        )
    )


if __name__ == "__main__":
    main()
