"""`make fuzz`: cases of each kind for some seconds, or one case again.

make fuzz                                                 every kind for 30 s
make fuzz ARGS="--kind tables --seconds 60 --seed 7"      one kind
make fuzz ARGS="--kind tables --seed 7 --case 123"        one case, with all that is known of its failure
make fuzz ARGS="--kept arrow_files.offset_too_far"        one that was kept
"""

import argparse
import sys
import time
from collections.abc import Iterator
from itertools import count, islice

from tests.fuzz.cases import KINDS, Case, Kept
from tests.fuzz.tally import Tally, failure_text
from tests.fuzz.worker import Worker


def main() -> int:
    asked = _asked()
    with Worker() as worker:
        if asked.kept is not None:
            return _one(worker, Kept(*asked.kept.split(".")))
        if asked.case is not None:
            return _one(worker, Case(asked.kind[0], asked.seed, asked.case))
        tallies = [_some(worker, kind, asked) for kind in asked.kind or KINDS]
    print(*(tally.text() for tally in tallies), sep="\n")
    return any(tally.failures for tally in tallies)


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__.splitlines()[0])
    parser.add_argument("--kind", action="append", choices=KINDS, help="of input; may be repeated; all by default")
    parser.add_argument("--seconds", type=float, default=30.0, help="for each kind")
    parser.add_argument("--cases", type=int, help="of each kind, however long they take")
    parser.add_argument("--seed", type=int, default=0, help="another one makes other cases")
    parser.add_argument("--start", type=int, default=0, help="number of the first case")
    parser.add_argument("--case", type=int, help="run this one alone; needs one --kind")
    parser.add_argument("--kept", metavar="ROOM.NAME", help="run a case of the corpus alone")
    asked = parser.parse_args()
    if asked.case is not None and len(asked.kind or ()) != 1:
        parser.error("--case needs one --kind")
    if asked.kept is not None and asked.kept.count(".") != 1:
        parser.error("--kept is such as arrow_files.offset_too_far")
    return asked


def _one(worker: Worker, case: Case | Kept) -> int:
    outcome = worker.outcome(case)
    said = "refused: " + outcome.refusal if outcome.refusal else "answered"
    print(failure_text(case, outcome) if outcome.failed else f"{said}, {outcome.seconds:.3f} s")
    return outcome.failed


def _some(worker: Worker, kind: str, asked: argparse.Namespace) -> Tally:
    tally = Tally(kind)
    for case in _cases(kind, asked):
        tally.add(case, worker.outcome(case))
    return tally


def _cases(kind: str, asked: argparse.Namespace) -> Iterator[Case]:
    every = (Case(kind, asked.seed, number) for number in count(asked.start))
    if asked.cases is not None:
        yield from islice(every, asked.cases)
        return
    end = time.monotonic() + asked.seconds
    while time.monotonic() < end:
        yield next(every)


if __name__ == "__main__":
    sys.exit(main())
