"""Past one machine: the same models on tables larger than memory, in this process or on a Dask cluster.

The way of the data through `fit` (fitting.py):

1. chunks. `as_chunks` (chunks.py) makes `Chunks` of files, of a Dask data frame, or of an iterator over data frames: a
   sequence that can be read again, each chunk with a name by which errors speak of it. `files.py` cuts large files.
2. engine. `Local` and `Dask` (engine.py) make one pass: `engine.merge(chunks, work)` gives every chunk to `work`, whose
   states it merges in an order that depends on the number of chunks alone.
3. survey. The first pass (survey.py) profiles columns (`mercer.table.profile`) and target (target.py) of each chunk;
   from the merged profiles the ordinary inference makes one schema for all.
4. rows. `Rows` (rows.py) is what a learner sees: `rows.merge(count)` is one pass in which `count` gets each chunk as a
   `Part` (a Table of that schema and its target, class codes or numbers) and returns a state with `merge`, such as
   `Sums` of arrays. `count` must be picklable: a function of a module, or a dataclass with `__call__` that holds what
   the pass needs to know (coefficients, edges of bins). `memory.py` keeps parts from pass to pass, within a budget,
   and what `part.recall` is to keep of them besides (a design matrix).
5. learners. learners/ has a function for each learner, `fit_...(model, rows)`, which makes its passes and sets the
   fitted attributes of the ordinary estimator; `registry.py` says which class is fitted by which function. A learner
   is added by such a function and a line there.
   Encoders are fitted in the same way by encoders/, without a target.
   Trees ask the same rows again and again: `rows.hold(make)` is one pass whose values (bins of a byte a cell) stay
   where they are made, in memory or in files (held/), and `held.ask(question, shared)` merges what they answer.

`score` (scoring.py) goes the same way with a fitted model: its schema, one pass, counts that merge. So does `nearest`
(learners/nearest.py) with a model of neighbours that is not fitted: what merges is the nearest rows of each query.

So a fitted model is the ordinary estimator: it predicts, explains and is stored as any other.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
