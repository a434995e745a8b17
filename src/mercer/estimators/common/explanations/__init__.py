"""The shapes of explanations: `explanation.py` of single rows, `model_explanation.py` of a fitted model in the report.

`compared.py` says which two classes an explanation compares, `text_table.py` shows it in a terminal and a notebook.
"""
