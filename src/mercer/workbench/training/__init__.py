"""`mercer.train` in parts: options, the job in two steps, its result, and the folder of a run."""
