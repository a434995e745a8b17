"""Decision trees: a table is split by one test after the other, and the rows of a leaf answer for those that reach it.

The way of the data through `DecisionTreeClassifier.fit` (`DecisionTreeRegressor.fit` differs in the target alone):

1. `classifier.py` checks the parameters (declared in `parameters.py`), reads the table and, by `target.py`, the classes
   of each output and the weights of rows, times `class_weight`, and calls
2. `base.py`, `BaseDecisionTree._fit_tree`, which asks
3. `fit.py`, `Method.of`, for the rules of growing and pruning: from the parameters, or from a textbook algorithm
   (`ALGORITHMS`: ID3, C4.5, CART), and `constraints.py` for the sign of each column, then
4. `columns.py`, `TreeColumns.fit`, for the columns to test: words of texts are counted, levels of few rows are joined,
   categories stay codes; then
5. `fit.py`, `fit_tree`, which grows a tree (`mercer.solvers.tree.grow`; with sums of columns, `.oblique`) and prunes it
   (`.prune`: pessimistic, or by cost-complexity with the penalty that five folds choose; `.subtree_raising`).
6. Back in `_fit_tree`, joined levels get their names again in the tests of the tree, which is kept as flat arrays,
   `tree_`.

Prediction is `TreeColumns.transform`, then `Tree.values`: native code sends each row down; where a cell is missing, the
way that was learned, in fractions, or by surrogate tests. `target.py` makes classes of the answers of leaves.

Reading a tree: `explanations/` writes it as text and as rules, draws it, and says what each column adds to a row;
`model_explanation.py` is what the report says of it. `TreeColumns.tree_from_state` checks a stored tree as it reads it
back.
"""
