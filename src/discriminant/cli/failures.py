"""Errors as a person sees them: one line, a way out, and an exit code a program can read.

0   done
1   a defect of this program (with --debug: the traceback)
2   the command line makes no sense
3   the data cannot be used as asked, or not in the memory there is
4   the model or run file cannot be read
5   a file cannot be read or written
128 + the number of a signal that ended it: 130 interrupted (Ctrl-C), 143 terminated

Whatever the end, files are whole: the old ones or the new, and the line says which were written.

A reader that has seen enough (`| head`) is no failure: what goes to files is written before anything is said, so that
nothing is lost, and a script that stops at failures (`set -o pipefail`) goes on.
"""

import errno
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import Any

from discriminant.cli.process import Terminated, output_fault, silence

DEFECT, USAGE, DATA, MODEL, FILES, SIGNAL = 1, 2, 3, 4, 5, 128


def run_guarded(call: Callable[[], Any], *, debug: bool) -> int:
    """Run a command; what it raises becomes a line on standard error and an exit code."""
    from discriminant.table.saving import recording

    with recording() as written:
        try:
            call()
            sys.stdout.flush()
        except BrokenPipeError:
            raise
        except KeyboardInterrupt as error:
            what = "terminated" if isinstance(error, Terminated) else "interrupted"
            told = "; ".join([what, _files_written(written()), *getattr(error, "__notes__", ())])
            return _say(told, SIGNAL + getattr(error, "number", signal.SIGINT), debug)
        except Exception as error:
            return report_failure(error, written(), debug=debug)
    return 0


def report_failure(error: Exception, written: Sequence[str] = (), *, debug: bool) -> int:
    """Say what an error means; the exit code."""
    message, code = _message_and_code(error)
    message = "; ".join([message, *getattr(error, "__notes__", ())])
    if code == FILES and (why := output_fault(error)) is not None:
        message = f"standard output could not be written: {why}; {_files_written(written)}"
        silence(sys.stdout)
    return _say(message, code, debug)


def _files_written(paths: Sequence[str]) -> str:
    return f"written: {', '.join(paths)}" if paths else "no file was written"


def while_read(program: Callable[[], Any]) -> None:
    """Run the program; it ends with 0 where the reader of its output has gone, for which typer and rich exit with 1."""
    try:
        program()
    except SystemExit as ended:
        if not _only_unread(ended.__context__):
            raise
        silence(sys.stdout)
        raise SystemExit(0) from None


def _only_unread(error: BaseException | None) -> bool:
    """Whether a closed pipe is all that happened; it may also have met the words about a failure."""
    return isinstance(error, BrokenPipeError) and (error.__context__ is None or _only_unread(error.__context__))


def _say(message: str, code: int, debug: bool) -> int:
    try:
        if debug:
            traceback.print_exc()
        sys.stderr.write(f"discriminant: {' '.join(message.split())}\n")
        sys.stderr.flush()
    except OSError:  # nobody reads it, or it cannot be stored
        silence(sys.stderr)
    return code


def _message_and_code(error: Exception) -> tuple[str, int]:
    from discriminant.table.errors import FileError, OptionError, SavedFileError, TableError

    if isinstance(error, TableError):
        return str(error), USAGE if isinstance(error, OptionError) else FILES if isinstance(error, FileError) else DATA
    if isinstance(error, SavedFileError):
        return str(error), MODEL
    if _lacks_memory(error):
        return _memory_message(error), DATA
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror or error}", FILES
    if isinstance(error, ValueError | TypeError | ArithmeticError):
        return str(error), DATA
    return f"{type(error).__name__}: {error} (a defect of this program; --debug shows where)", DEFECT


def _lacks_memory(error: Exception) -> bool:
    """Threads that cannot be started and libraries that cannot be mapped are told of in words alone."""
    if isinstance(error, OSError) and error.errno == errno.ENOMEM:
        return True
    words = ("can't start new thread", "failed to map segment", "Cannot allocate memory")
    return isinstance(error, MemoryError) or any(part in str(error) for part in words)


def _memory_message(error: Exception) -> str:
    """What was asked for, where it is known, and what there is."""
    from discriminant.memory import available_bytes, readable_size

    if "needed" in str(error):  # it was found out before, and says all
        return str(error)
    left = available_bytes()
    there = "" if left is None else f" ({readable_size(left)} are left)"
    asked = f": {error}" if str(error) else ""
    return f"the table does not fit into memory{there}{asked}; take fewer rows or columns (--ignore)"
