"""Files that are no text: packed ones (`packed.py`), Parquet and Arrow, workbooks, databases.

Their readers are compiled code of other libraries, so sizes are checked before these believe them, and what a panic of
theirs prints is held back (`panics.py`).
"""
