"""The pictures, listed once: `__init__.py` imports each from here when it is first used."""

from .bayes import bayes_product as bayes_product
from .bayes import likelihood_table as likelihood_table
from .boundaries import decision_regions as decision_regions
from .boundaries import regression_tube as regression_tube
from .curves import calibration_curve as calibration_curve
from .curves import confusion_matrix as confusion_matrix
from .curves import precision_recall_curve as precision_recall_curve
from .curves import roc_curve as roc_curve
from .effects import explanation as explanation
from .effects import importances as importances
from .effects import partial_dependence as partial_dependence
from .ensembles import ensemble_members as ensemble_members
from .ensembles import ensemble_trajectory as ensemble_trajectory
from .gains import cost_curve as cost_curve
from .gains import gains_curve as gains_curve
from .gains import lift_curve as lift_curve
from .kernels import kernel_matrix as kernel_matrix
from .kernels import kernel_shapes as kernel_shapes
from .neighbours import neighbours as neighbours
from .perceptron import perceptron_path as perceptron_path
from .regression import coefficients as coefficients
from .regression import logistic_curve as logistic_curve
from .regression import predicted_against_actual as predicted_against_actual
from .regression import residuals as residuals
from .trees import candidate_splits as candidate_splits
from .trees import tree as tree
from .tuning import learning_curve as learning_curve
from .tuning import tuning_surface as tuning_surface
from .tuning import validation_curve as validation_curve

__all__ = [
    "bayes_product",
    "calibration_curve",
    "candidate_splits",
    "coefficients",
    "confusion_matrix",
    "cost_curve",
    "decision_regions",
    "ensemble_members",
    "ensemble_trajectory",
    "explanation",
    "gains_curve",
    "importances",
    "kernel_matrix",
    "kernel_shapes",
    "learning_curve",
    "lift_curve",
    "likelihood_table",
    "logistic_curve",
    "neighbours",
    "partial_dependence",
    "perceptron_path",
    "precision_recall_curve",
    "predicted_against_actual",
    "regression_tube",
    "residuals",
    "roc_curve",
    "tree",
    "tuning_surface",
    "validation_curve",
]
