"""A process of its own for cases: whatever they do to it, the one who asked survives and knows which case it was."""

import faulthandler
import multiprocessing
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import warnings
from multiprocessing.connection import Connection
from pathlib import Path

from tests.fuzz.cases import Case, Kept, Preparation
from tests.fuzz.judging import MOST_GROWTH, Outcome, judged, peak_memory

MOST_SECONDS = 10.0  # of the processor: other programs of a busy machine do not count
_MOST_WAITING = 60.0  # for a case that sleeps
_PREPARATION_SECONDS = 120.0
CASES_OF_A_PROCESS = 5000  # then a fresh one: what leaks slowly is no fault of the case that happens to be the last

# Processes are forked from one that has imported what cases need, and has done nothing else: a new one takes 20 ms.
_SERVER = multiprocessing.get_context("forkserver")
_SERVER.set_forkserver_preload(["tests.fuzz.preload"])


class Worker:
    """Runs one case after the other in a child, and replaces a child that died, hung or grew."""

    def __init__(self, *, most_seconds: float = MOST_SECONDS) -> None:
        self._most_seconds = most_seconds
        self._folder = Path(tempfile.mkdtemp(prefix="discriminant-fuzz-"))
        self._child: _Child | None = None

    def __enter__(self) -> "Worker":
        return self

    def __exit__(self, *_: object) -> None:
        self._replace()
        shutil.rmtree(self._folder, ignore_errors=True)

    def outcome(self, case: Case | Kept) -> Outcome:
        """A case that is too slow is tried once more: kernels may have been compiled, and the machine busy."""
        found = self._once(case)
        return self._once(case) if found.slow else found

    def _once(self, case: Case | Kept) -> Outcome:
        if self._child is None:
            self._child = _Child(self._folder)
        found = self._child.prepared(case.kind) or self._child.outcome(case, self._most_seconds)
        if found.last or self._child.cases >= CASES_OF_A_PROCESS:
            self._replace()
        return found

    def _replace(self) -> None:
        if self._child is not None:
            self._child.end()
        self._child = None


class _Child:
    def __init__(self, folder: Path) -> None:
        self.cases = 0
        self._kinds: set[str] = set()
        self._log = folder / "faults.txt"
        self._pipe, theirs = _SERVER.Pipe()
        self._process = _SERVER.Process(target=_serve, args=(theirs, folder / "case", self._log), daemon=True)
        self._process.start()
        theirs.close()

    def prepared(self, kind: str) -> Outcome | None:
        """Why cases of a kind cannot be tried, if so."""
        if kind in self._kinds:
            return None
        self._kinds.add(kind)
        found = self.outcome(Preparation(kind), _PREPARATION_SECONDS)
        return found if found.failed or found.refusal else None

    def outcome(self, case: Case | Kept | Preparation, most_seconds: float) -> Outcome:
        self.cases += 1
        start, spent = time.perf_counter(), _processor_seconds(self._process.pid)
        worked, at_work = spent, start
        try:
            self._pipe.send(case)
            while not self._pipe.poll(0.05):
                now = _processor_seconds(self._process.pid)
                if now > worked:
                    worked, at_work = now, time.perf_counter()
                if now - spent > most_seconds:
                    return self._stopped(f"longer than {most_seconds:.0f} s", start, slow=True)
                if time.perf_counter() - at_work > max(_MOST_WAITING, most_seconds):
                    return self._stopped(f"nothing done for {_MOST_WAITING:.0f} s", start, slow=True)
                if _resident(self._process.pid) > 3 * MOST_GROWTH:
                    return self._stopped(f"memory beyond {3 * MOST_GROWTH >> 20} MB", start)
            return self._pipe.recv()
        except (EOFError, ConnectionError):
            self._process.join()
            number = -(self._process.exitcode or 0)
            name = signal.Signals(number).name if number > 0 else f"exit {-number}"
            return Outcome(
                cause=f"ended by {name} in {self._where()}",
                detail=self._told(),
                seconds=time.perf_counter() - start,
                last=True,
            )

    def end(self) -> None:
        self._pipe.close()
        self._process.join(1)
        self._process.kill()
        self._process.join()

    def _stopped(self, what: str, start: float, *, slow: bool = False) -> Outcome:
        os.kill(self._process.pid, signal.SIGABRT)  # upon which it tells where it is
        self._process.join(2)
        return Outcome(
            cause=f"{what} in {self._where()}",
            detail=self._told(),
            seconds=time.perf_counter() - start,
            last=True,
            slow=slow,
        )

    def _told(self) -> str:
        return self._log.read_text(errors="replace").split("Extension modules:")[0][:6000]

    def _where(self) -> str:
        """The innermost line of the package that was running."""
        for line in self._told().splitlines():
            if "/src/discriminant/" in line:
                return line.split("/src/discriminant/")[1].replace('", line ', ":")
        return "code that is not ours"


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * resource.getpagesize()
    except (OSError, IndexError):
        return 0


def _processor_seconds(pid: int) -> float:
    """Of a process so far; where a system does not tell, the time on the wall."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except (OSError, IndexError):
        return time.perf_counter()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _serve(pipe: Connection, folder: Path, log: Path) -> None:
    """In the child: cases in, outcomes out, until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the one who asked is interrupted, and ends this process
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("ignore")
    sys.stdin = open(os.devnull)  # noqa: SIM115
    most_memory = peak_memory() + MOST_GROWTH
    with log.open("w") as faults:
        faulthandler.enable(faults)
        while True:
            try:
                case = pipe.recv()
            except EOFError:
                return
            folder.mkdir(exist_ok=True)
            _empty(folder)
            os.chdir(folder)
            pipe.send(judged(case, folder, most_memory))


def _empty(folder: Path) -> None:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path, ignore_errors=True)
            else:
                os.unlink(entry.path)
