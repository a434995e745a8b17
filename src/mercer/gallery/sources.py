"""The texts that the examples are from, by the folder that holds them."""

from __future__ import annotations

SOURCES = {
    "lim": "Lim: Naive Bayes, k-NN and support vector machines (chapter 4 of a text on machine learning)",
    "dm": "DM: Data mining, supervised learning (lecture)",
    "yao": "Yao: Data-driven kernels for categorical data and ensemble selection (thesis)",
    "pilario": "Pilario: Support vector machines and kernel methods (lecture)",
    "nbk": "NBK: Naive Bayes, SVM, kernels (lecture 9, S. Thirumuruganathan)",
}
