"""What weights mean: `class_weight.py` of classes, `sample_weight.py` of rows, where a method counts rows."""
