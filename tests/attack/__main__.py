"""`python -m tests.attack --minutes 5`: attack all areas until the time is up; exit code 1 if anything was wrong."""

from __future__ import annotations

import argparse
import json
import os
import secrets
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from tests.attack import batch
from tests.attack.outcome import Outcome

BATCH = 400  # attempts of a process: its start takes seconds, and a crash loses the rest


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m tests.attack", description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0, help="how long (5)")
    parser.add_argument("--attempts", type=int, help="in place of a time: the first so many seeds of each area")
    parser.add_argument("--area", choices=batch.AREAS, action="append", help="only this area; may be repeated")
    parser.add_argument("--seed", type=int, help="repeat this attempt of one area; with --count, start there")
    parser.add_argument("--count", type=int, default=1, help=argparse.SUPPRESS)
    parser.add_argument("--seconds", type=float, default=600.0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    areas = options.area or list(batch.AREAS)
    if options.seed is not None:
        batch.run(areas[0], options.seed, options.count, options.seconds)
        return 0
    counts: dict[str, Counter[str]] = {area: Counter() for area in areas}
    surprises: Counter[str] = Counter()
    begin = time.monotonic()
    try:
        if options.attempts is None:
            attack(counts, surprises, 60 * options.minutes)
        else:
            attack_first_seeds(counts, surprises, options.attempts)
    except KeyboardInterrupt:
        print(f"Ended by hand after {(time.monotonic() - begin) / 60:.1f} minutes.")
    return report(counts, surprises)


def attack(counts: dict[str, Counter[str]], surprises: Counter[str], seconds: float) -> None:
    """Batches of each area in turn from a random seed on, until the time is up."""
    end, first = time.monotonic() + seconds, secrets.randbelow(1 << 40)
    while time.monotonic() < end:
        for area, count in counts.items():
            left = end - time.monotonic()
            if left > 0:
                run_batch(area, first, min(left, max(10.0, seconds / 12)), count, surprises)
        first += BATCH


def attack_first_seeds(counts: dict[str, Counter[str]], surprises: Counter[str], attempts: int) -> None:
    """The first seeds of each area, as many areas side by side as there are processors."""

    def attack_area(area: str) -> Counter[str]:
        found: Counter[str] = Counter()
        run_batch(area, 0, 3600.0, counts[area], found, attempts)
        return found

    with ThreadPoolExecutor(os.cpu_count()) as threads:
        for found in threads.map(attack_area, counts):
            surprises.update(found)


def report(counts: dict[str, Counter[str]], surprises: Counter[str]) -> int:
    """Print what was found; 1 if anything was wrong or crashed."""
    print(f"{'':12} {'tried':>9}" + "".join(f"{o:>10}" for o in Outcome))
    for area, count in counts.items():
        print(f"{area:12} {count.total():9,}" + "".join(f"{count[o]:10,}" for o in Outcome))
    for surprise, times in surprises.most_common(20):
        print(f"{times:6,} times surprised by {surprise}")
    return int(any(count[Outcome.WRONG] or count[Outcome.CRASHED] for count in counts.values()))


def run_batch(
    area: str, first: int, seconds: float, count: Counter[str], surprises: Counter[str], attempts: int = BATCH
) -> None:
    """Attempts in a new process; one that ends it is counted as a crash. `surprises` counts what was not foreseen."""
    command = [sys.executable, "-m", "tests.attack", "--area", area, "--seed", str(first), "--count", str(attempts)]
    running: int | None = None
    with subprocess.Popen([*command, "--seconds", str(seconds)], stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout or ():
            found = json.loads(line)
            running = found["seed"] if "outcome" not in found else None
            if "outcome" in found:
                count[found["outcome"]] += 1
                if found["outcome"] == Outcome.SURPRISED:
                    surprises[found["why"]] += 1
                if found["outcome"] in (Outcome.WRONG, Outcome.CRASHED):
                    print(f"{area} --seed {found['seed']}: {found['outcome']}\n{found['why']}", flush=True)
    if process.returncode:
        count[Outcome.CRASHED] += 1
        print(f"{area} --seed {running}: the process ended with code {process.returncode}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
