"""DeLong's test against the figures that R's pROC documents for 113 patients with a subarachnoid haemorrhage.

Outcome (good or poor), protein S100B and the grade of the World Federation of Neurosurgical Societies (Turck et al.
2010).
"""

from __future__ import annotations

import numpy as np
import pytest

import mercer

OUTCOME = (
    "GGGGPPGPGGPGPPGGPGPPPGPGGGGGGGGGPGGPPGPPGGGGGGGGGPPGGGPGGGPGPGGPPPGPPGPPPPGGGPPGPGGGGGGPGGGGGGGGGGGGPPPPPPGGGPGGG"
)
GRADE = (
    "11113254125255125225211112121134214541425511241125521251222151125214524414121421232421451154221113125225552445111"
)
S100B = [  # hundredths of a microgram per litre
    13, 14, 10, 4, 13, 10, 47, 16, 18, 10, 12, 10, 44, 71, 4, 8, 49, 4, 7, 33, 9, 9, 7, 11, 7, 17, 7, 11, 13, 19, 5,
    16, 41, 14, 34, 35, 48, 9, 96, 25, 50, 46, 16, 7, 43, 45, 11, 8, 9, 86, 52, 8, 6, 13, 207, 10, 14, 15, 7, 6, 77,
    5, 9, 30, 3, 9, 4, 23, 70, 9, 27, 71, 8, 26, 8, 16, 9, 13, 10, 8, 11, 33, 11, 28, 7, 10, 32, 22, 7, 5, 24, 38,
    10, 15, 8, 14, 10, 7, 4, 19, 56, 14, 58, 32, 82, 74, 15, 47, 17, 44, 15, 50, 48,
]  # fmt: skip


def test_the_published_areas_and_test_come_out() -> None:
    poor = np.array([outcome == "P" for outcome in OUTCOME])
    protein, grade = np.array(S100B) / 300, np.array([int(g) / 6 for g in GRADE])
    found = mercer.compare_predictions(poor.astype(int), protein, grade, kind="probabilities")
    difference = found.difference("roc_auc")
    areas = [
        mercer.score_predictions(poor.astype(int), probabilities=p).scores["roc_auc"].value for p in (protein, grade)
    ]
    assert areas == pytest.approx([0.7313686, 0.8236789], abs=5e-8)
    assert difference.method == "DeLong"
    assert difference.p_value == pytest.approx(0.02718, abs=5e-6)  # Z = -2.209
