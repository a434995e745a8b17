"""The small tables of the texts, embedded."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.datasets import load_iris

Columns = dict[str, list[Any]]


def tax_returns() -> tuple[Columns, list[str]]:
    """Ten tax returns (DM, NBK): refund, marital status, taxable income in thousands; who cheats."""
    rows = [
        ("Yes", "Single", 125, "No"),
        ("No", "Married", 100, "No"),
        ("No", "Single", 70, "No"),
        ("Yes", "Married", 120, "No"),
        ("No", "Divorced", 95, "Yes"),
        ("No", "Married", 60, "No"),
        ("Yes", "Divorced", 220, "No"),
        ("No", "Single", 85, "Yes"),
        ("No", "Married", 75, "No"),
        ("No", "Single", 90, "Yes"),
    ]
    refund, status, income, cheat = (list(column) for column in zip(*rows, strict=True))
    return {"Refund": refund, "Status": status, "Income": income}, cheat


def mammals() -> tuple[Columns, list[str]]:
    """Twenty animals (NBK): whether they give birth, fly, live in water, have legs; mammals or not."""
    rows = """
        human yes no no yes M           | leopard-shark yes no yes no N
        python no no no no N            | turtle no no sometimes yes N
        salmon no no yes no N           | penguin no no sometimes yes N
        whale yes no yes no M           | porcupine yes no no yes M
        frog no no sometimes yes N      | eel no no yes no N
        komodo no no no yes N           | salamander no no sometimes yes N
        bat yes yes no yes M            | gila-monster no no no yes N
        pigeon no yes no yes N          | platypus no no no yes M
        cat yes no no yes M             | owl no yes no yes N
        dolphin yes no yes no M         | eagle no yes no yes N
    """
    animals = [animal.split() for line in rows.strip().splitlines() for animal in line.split("|")]
    _, birth, fly, water, legs, group = (list(column) for column in zip(*animals, strict=True))
    kinds = [{"M": "mammal", "N": "other"}[g] for g in group]
    return {"Give birth": birth, "Can fly": fly, "Live in water": water, "Have legs": legs}, kinds


def news_titles() -> tuple[list[str], list[str]]:
    """Six titles of news (DM): politics and sports."""
    politics = ["Obama meets Merkel", "Obama elected again", "Merkel visits Greece again"]
    sports = ["OSFP European basketball champion", "Miami NBA basketball champion", "Greece basketball coach"]
    return politics + sports, ["politics"] * 3 + ["sports"] * 3


def twenty_points() -> tuple[Any, list[str]]:
    """Ten white and ten black points (after Lim's Figures 4.1 and 4.3), the last of each among the others."""
    white = [(5, 35), (10, 60), (22, 60), (15, 85), (30, 80), (40, 62), (50, 75), (45, 95), (65, 90), (70, 50)]
    points = np.array(white) / 100
    return np.vstack([points, 1 - points]), ["white"] * 10 + ["black"] * 10


def circles(n: int = 40) -> tuple[Any, list[str]]:
    """An inner and an outer circle of n points each, a little disturbed."""
    random = np.random.default_rng(4)
    angle, radius = random.uniform(0, 2 * np.pi, 2 * n), np.repeat([1.0, 2.2], n) + random.normal(0, 0.16, 2 * n)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), ["inner"] * n + ["outer"] * n


def spiral(n: int = 100) -> tuple[Any, list[str]]:
    """Two arms of one and a half turns, about 2 apart, one the mirror image of the other, a little disturbed."""
    angle = np.linspace(0.5, 3 * np.pi, n)
    arm = (2 / np.pi) * np.column_stack([angle * np.cos(angle), angle * np.sin(angle)])
    arm += np.random.default_rng(0).normal(scale=0.1, size=arm.shape)
    return np.vstack([arm, -arm]), ["one arm"] * n + ["the other"] * n


def noisy_sine(n: int = 60, seed: int = 0) -> tuple[Any, Any]:
    """Points of a sine between 0 and 2 pi with noise of deviation 0.2."""
    random = np.random.default_rng(seed)
    x = np.sort(random.uniform(0, 2 * np.pi, n))
    return x[:, None], np.sin(x) + random.normal(0, 0.2, n)


def lengths_of_iris() -> tuple[Any, Any]:
    """Sepal and petal length in cm of 150 irises, and their species."""
    found = load_iris()
    return found.data[:, [0, 2]], np.array(found.target_names)[found.target]
