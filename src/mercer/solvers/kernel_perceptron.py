"""The perceptron on inner products, or values of a kernel, of a block of rows."""

from __future__ import annotations

import numpy as np

from mercer.arrays import Floats

BLOCK = 256  # rows whose inner products are held at once


def run_block(products: Floats, scores: Floats, signs: Floats, repeats: Floats, steps: Floats, margin: float) -> Floats:
    """One pass of Rosenblatt's perceptron (1958) over a block of rows, one row after the other.

    Given products <x_i, x_j> + R^2 (c, c), scores <w, x_i> + b before the pass (changed in place), signs y_i = -1 or 1,
    repeats, how often row i is shown (0.5 takes half the step), and steps eta_i. Each time that
    y_i score_i <= margin:  w <- w + eta_i y_i x_i,  b <- b + eta_i y_i R^2,  hence
    score <- score + eta_i y_i products_i.

    Returns how many repeats of each row were mistakes, (c,). Novikoff (1962): on separable rows they are finitely many.
    """
    mistakes = np.zeros(len(signs))
    i = 0
    while i < len(signs):
        wrong = np.flatnonzero(signs[i:] * scores[i:] <= margin)
        if not len(wrong):
            break
        i += int(wrong[0])
        left = repeats[i]
        while left > 0 and signs[i] * scores[i] <= margin:
            share = min(left, 1.0)
            scores += steps[i] * share * signs[i] * products[i]
            mistakes[i] += share
            left -= 1.0
        i += 1
    return mistakes
