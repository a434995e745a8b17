"""Titles of news: multinomial naive Bayes for text.

    P(c | d) ∝ P(c) · ∏_t P(t | c),     P(t | c) = (T_ct + 1) / Σ_t' (T_ct' + 1)

Training counts the words of all titles of a class; a title scores the logarithm of its class's share and of each of its
words. A word that no title had, such as "likes", counts as 1 / (words of the class + vocabulary) in the text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import exp, log

import numpy as np

import mercer
from mercer.gallery import Comparison, Picture, panels
from mercer.gallery.small_tables import news_titles

PASSAGE = "naive Bayes for text, Figure 13.2"
PLACE = 12


def run() -> Iterator[Comparison | Picture]:
    titles, topic = news_titles()
    model = mercer.NaiveBayes(kinds={"title": "text"}).fit({"title": titles}, topic)
    tables = model.tables()
    new = {"title": ["Obama likes basketball"]}
    yield Comparison("size of the vocabulary", "14", len(tables["title"].rows))
    for group, printed in (("politics", "10"), ("sports", "11")):
        counts = tables["title"].counts[:, tables.classes.index(group)]
        yield Comparison(f"words in {group}", printed, int(counts.sum()))
    yield Comparison("P(obama | politics)", "3/24", tables.value("title", "obama", "politics"))
    yield Comparison("P(basketball | sports)", "4/25", tables.value("title", "basketball", "sports"))
    scores = np.exp(model.predict_joint_log_proba(new)[0])
    yield Comparison("politics: P(p) P(obama|p) P(likes|p) P(basketball|p)", "0.000108", scores[0], 1e-6)
    yield Comparison("sports: P(s) P(obama|s) P(likes|s) P(basketball|s)", "0.000128", scores[1])
    yield Comparison("topic of the title", "sports", str(model.predict(new)[0]))

    # Figure 13.2, line by line: train, then apply.
    words = {group: Counter(w for t, g in zip(titles, topic, strict=True) if g == group for w in t.lower().split())
             for group in ("politics", "sports")}  # fmt: skip
    vocabulary = set(words["politics"]) | set(words["sports"])
    score = {group: log(topic.count(group) / len(topic)) + sum(
        log((count[w] + 1) / (count.total() + len(vocabulary))) for w in ("obama", "likes", "basketball"))
        for group, count in words.items()}  # fmt: skip
    yield Comparison("the algorithm of Figure 13.2, politics", exp(score["politics"]), scores[0])
    yield Comparison("the algorithm of Figure 13.2, sports", exp(score["sports"]), scores[1])

    figure, ax = panels(size=(9, 4))
    mercer.plot.likelihood_table(model, "title", ax=ax)
    yield Picture("words", figure, "P(word | topic) of the words that tell most, with their counts in the titles.")
