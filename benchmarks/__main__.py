"""`python -m benchmarks`: time discriminant beside its peers and hold the ratios against the bars."""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks import machine, real, report
from benchmarks.cases import CASES, TASKS
from benchmarks.contest import Effort, Result

_HOW = """\
Times are the least of {repeats} alternating repeats (ours, peer, peer, ours, ...) in this run; ratios are peer/ours.
Every contender first fits a small table untimed, so compiling and loading are not in the times.
"noisy" marks a median far above the least: other work held the cores, which hurts many threads most.{quick}"""
_QUICK = "\nA quick run, at a tenth of the shapes: ratios differ from those of the full shapes, and no bar is judged."


def main() -> None:
    """Measure, print as results come, and save; with ``--real`` on real tables (see `benchmarks.real`)."""
    if "--real" in sys.argv[1:]:
        real.main([word for word in sys.argv[1:] if word != "--real"])
        return
    options = _options()
    effort = Effort(options.repeats or (3 if options.quick else 5), options.cap)
    how = _HOW.format(repeats=effort.repeats, quick=_QUICK if options.quick else "")
    facts = machine.facts()
    print(report.header(facts, how), flush=True)
    results = []
    for result in _results(options, effort):
        print(report.block(result), flush=True)
        results.append(result)
    print(report.summary(results))
    if options.json:
        report.save(options.json, facts, how, results)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--task", action="append", choices=TASKS, help="only this task; may be given again")
    parser.add_argument("--threads", choices=("1", "all", "both"), default="both")
    parser.add_argument("--quick", action="store_true", help="a tenth of the shapes and fewer repeats")
    parser.add_argument("--repeats", type=int, help="default: 5, or 3 when quick")
    parser.add_argument("--cap", type=float, default=10.0, help="seconds above which two repeats do (default: 10)")
    parser.add_argument("--real", action="store_true", help="real tables; options of benchmarks.real")
    parser.add_argument("--json", type=Path, metavar="PATH", help="save every repeat here")
    return parser.parse_args()


def _results(options: argparse.Namespace, effort: Effort) -> Iterator[Result]:
    every = machine.cores()
    threads = {"1": [1], "all": [every], "both": sorted({1, every})}[options.threads]
    for case in CASES:
        if options.task and case.task not in options.task:
            continue
        if options.quick:
            for result in replace(case, shape=case.shape.tenth()).measure(threads, effort):
                yield replace(result, verdicts=tuple(replace(v, met=None) for v in result.verdicts))
        else:
            yield from case.measure(threads, effort)


if __name__ == "__main__":
    main()
