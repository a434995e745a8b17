"""Random attacks from outside: model files sealed again, mutated tables, odd frames, hostile parameters.

`python -m tests.attack --minutes 5` (`make attack`) runs all areas until the time is up. Each area is a module with
`attempt(seed) -> Outcome`: it makes one hostile input from the seed, offers it to mercer, and says whether it was
refused with an error of `mercer.errors` or answered soundly; it raises `Wrong` for an unsound answer, and any other
exception is a crash. `batch` runs attempts of one area in a process of limited memory and time, which a native crash
may end; `__main__` starts the batches and counts. `python -m tests.attack --area model_files --seed 17` repeats one
attempt, `--attempts 300` makes the first 300 of each area, as CI does. The tests run a few hundred attempts of each
area with fixed seeds (`test_attack`).
"""
