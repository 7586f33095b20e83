"""Kills and faults at every point of every write: `python -m tests.faults.campaign [every n-th point]`.

Every case is a process of its own, forked, in which one fault happens. Afterwards a reader that may not write, a reader
that may, and the next run look at the folder. A line of JSON at the end says how many cases there were.
"""

import builtins
import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from contextlib import contextmanager
from pathlib import Path

from discriminant.model import load
from discriminant.report import render
from discriminant.study.run_file import load_run
from discriminant.table.saving import journal, recording
from tests.faults.injection import CALLS, LINES, inject
from tests.faults.scenarios import SCENARIOS, USERS_OWN

EXPECTED = (OSError, ValueError, MemoryError, KeyboardInterrupt)  # ValueError: our own errors are


def forked(call):
    """What a call returns in a process of its own; a negative number where a signal ended it."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        signal.alarm(20)  # nothing here takes that long
        try:
            answer = call()
        except BaseException:
            answer = traceback.format_exc()
        with os.fdopen(os.dup(write), "wb") as pipe:
            pickle.dump(answer, pipe)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        answer = pipe.read()
    status = os.waitpid(child, 0)[1]
    return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else pickle.loads(answer)


def written_with_fault(scenario, folder, at, kind):
    """(points passed, the name of an error or None, the files said to be written) in this process."""
    plain = dict(vars(os)), open, sys.gettrace()
    with recording() as told:
        counter = inject(folder, at, kind)
        error = None
        try:
            scenario.write(folder, "new")
        except EXPECTED as caught:
            error = type(caught).__name__
        sys.settrace(plain[2])
    vars(os).update(plain[0])
    builtins.open = plain[1]
    return counter.count, error, told()


@contextmanager
def may_not_write():
    """A reader who sees the folder as it is and can finish nothing."""
    plain = journal.finish

    def refuse(folder):
        raise PermissionError

    journal.finish = refuse
    try:
        yield
    finally:
        journal.finish = plain


def state(scenario, folder):
    """Old or new; anything else is said."""
    try:
        found = set(scenario.found(folder))
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return found.pop() if len(found) == 1 else f"a mixture: {sorted(found)}"


def case(scenario, folder, at, kind, clean):
    """What went wrong with one fault; empty where nothing did."""
    answer = forked(lambda: written_with_fault(scenario, folder, at, kind))
    wrong = []
    if isinstance(answer, str) or (isinstance(answer, int) and answer != -signal.SIGKILL):
        wrong.append(f"ended with {answer}")
    with may_not_write():
        seen = state(scenario, folder)
    if seen not in ("old", "new"):
        wrong.append(f"a reader sees {seen}")
    if (again := state(scenario, folder)) != seen:
        wrong.append(f"first a reader saw {seen}, then {again}")
    if isinstance(answer, tuple):
        _, error, told = answer
        if error is None and seen != "new":
            wrong.append("no error was raised, and the old is there")
        if bool(told) != (seen == "new"):
            wrong.append(f"it says that {told} was written, and a reader sees {seen}")
    if (after := forked(lambda: scenario.write(folder, "new"))) is not None:
        wrong.append(f"the next run ended with {after}")
    if (now := state(scenario, folder)) != "new":
        wrong.append(f"after the next run a reader sees {now}")
    if (names := sorted(os.listdir(folder))) != clean:
        wrong.append(f"left behind: {sorted(set(names) ^ set(clean))}")
    if any((folder / name).read_text() != text for name, text in USERS_OWN.items() if name in clean):
        wrong.append("a file of the user was touched")
    return wrong


def cases_of(scenario, every):
    """(kind, point, what went wrong) of every case."""
    with tempfile.TemporaryDirectory() as place:
        folder, before = Path(place, "folder"), Path(place, "before")
        answer = forked(lambda: scenario.prepare(before))
        assert answer is None, answer
        for kind in (*CALLS, *LINES):
            shutil.copytree(before, folder)
            count = forked(lambda kind=kind: written_with_fault(scenario, folder, 0, kind))[0]
            clean = sorted(os.listdir(folder))
            shutil.rmtree(folder)
            for at in range(1 + len(kind) % every, count + 1, every):
                shutil.copytree(before, folder)
                yield kind, at, case(scenario, folder, at, kind, clean)
                shutil.rmtree(folder)


def fitted(place):
    """A run and a model, made by the command."""
    rows = "".join(f"{i / 7:.3f},{i % 5},{'yes' if i % 7 + i / 20 > 5 else 'no'}\n" for i in range(120))
    (place / "rows.csv").write_text("x,z,y\n" + rows)
    command = [sys.executable, "-m", "discriminant", "fit", "rows.csv", "-t", "y", "--learner", "lda", "-o", "run"]
    subprocess.run(command, cwd=place, check=True, stdout=subprocess.DEVNULL)
    return load_run(place / "run" / "run.json"), load(place / "run" / "model.json")


def main():
    every, names = int(sys.argv[1]) if len(sys.argv) > 1 else 1, sys.argv[2:]
    with tempfile.TemporaryDirectory() as place:
        run, model = fitted(Path(place))
    render(run)  # so that no process has to read the templates again
    counts, failures, begin = {}, [], time.monotonic()
    for made in SCENARIOS:
        scenario = made(run, model)
        if names and scenario.name not in names:
            continue
        for kind, at, wrong in cases_of(scenario, every):
            counts.setdefault(scenario.name, dict.fromkeys((*CALLS, *LINES), 0))[kind] += 1
            told = [f"{scenario.name}, {kind} at {at}: {text}" for text in wrong]
            failures += told
            print(*told, sep="\n", end="\n" if told else "", file=sys.stderr, flush=True)
        print(scenario.name, counts[scenario.name], len(failures), file=sys.stderr)
    cases = sum(sum(by_kind.values()) for by_kind in counts.values())
    told = {"cases": cases, "seconds": round(time.monotonic() - begin), "counts": counts, "failures": failures}
    print(json.dumps(told))


if __name__ == "__main__":
    main()
