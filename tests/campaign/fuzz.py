"""Damage files of every format, load and use them: ``python -m tests.campaign.fuzz``.

A seed is one mutation. ``--format lm --seed 123`` repeats one; ``--count 1000`` tries 1,000 of
each format from the seed on. The exit code is 1 if any mutation crashed, hung, raised an exception
that is not for users, or changed a result though a checksum covers the file.
"""

from __future__ import annotations

import argparse
import math
import sys

from tests.campaign.formats import FORMATS
from tests.campaign.formats.definition import Format
from tests.campaign.outcomes import causes, table
from tests.campaign.worker import fuzz, scratch


def _counts(forms: list[Format], total: int | None, each: int) -> list[int]:
    """Return the number of mutations of each format."""
    if total is None:
        return [each] * len(forms)
    shares = [0.1 if form.slow else 1.0 for form in forms]
    return [math.ceil(total * share / sum(shares)) for share in shares]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.campaign.fuzz", description=__doc__)
    parser.add_argument("--format", action="append", choices=FORMATS, help="all by default")
    parser.add_argument("--seed", type=int, default=0, help="of the first mutation")
    parser.add_argument("--count", type=int, default=1, help="mutations of each format")
    parser.add_argument("--total", type=int, help="mutations of all formats together")
    given = parser.parse_args()
    forms = [FORMATS[name] for name in given.format or FORMATS]
    tallies = []
    with scratch() as folder:
        for tally in fuzz(forms, _counts(forms, given.total, given.count), given.seed, folder):
            tallies.append(tally)
            print(f"{tally.form}: {tally.mutations:,} mutations, {tally.bad:,} bad", flush=True)
            if tally.problems:
                print(causes(tally.problems), flush=True)
    print(table(tallies))
    return int(any(tally.bad for tally in tallies))


if __name__ == "__main__":
    sys.exit(main())
