"""Which files are meant: paths, globs, folders, lists and URLs, on this machine or on any filesystem Arrow knows.

A folder means all files in it and below, but those whose names begin with a dot or an underscore. In a path such as
``year=2024/month=3/a.parquet`` the folders tell two columns of that file.
"""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from glob import has_magic
from os import PathLike, fspath
from pathlib import PurePosixPath
from typing import Any

from discriminant.findings import shown
from discriminant.forks import importing
from discriminant.rows.protocol import SourceChanged
from discriminant.table.errors import FileError, TableError
from discriminant.table.reading.inputs import StoredInput

Path = str | PathLike[str]

_PARTITION = re.compile(r"^([^=]+)=(.*)$")


@dataclass(frozen=True)
class StoredFile:
    """A file as it was found: where it is, and how it can be told that it is still the same."""

    name: str  # in messages
    path: str
    filesystem: Any  # pyarrow's, which can be pickled
    n_bytes: int
    changed: int | None  # nanoseconds; None where the filesystem does not say
    constants: tuple[tuple[str, str], ...] = ()  # columns that its folders tell

    def open(self) -> StoredInput:
        """Its bytes, if it is the file that it was."""
        self.refuse_changed()
        return StoredInput(self.name, self.path, self.filesystem)

    def refuse_changed(self) -> None:
        """Raise if it has another size or time than when it was found."""
        from pyarrow import fs

        info = self.filesystem.get_file_info(self.path)
        if info.type == fs.FileType.NotFound:
            raise SourceChanged(f"{self.name} is no longer there; put it back, or make the source anew")
        if (info.size, info.mtime_ns) != (self.n_bytes, self.changed):
            raise SourceChanged(
                f"{self.name} is not the file that it was; make the source anew to read what is there now"
            )


def find_files(paths: Path | Sequence[Path], filesystem: Any = None) -> list[StoredFile]:
    """The files that paths, globs and folders name: in the order given, sorted within a glob or a folder."""
    named = [paths] if isinstance(paths, str | PathLike) else list(paths)
    if not named:
        raise TableError("no file was named", "name a file, a folder or a pattern such as 'data/*.parquet'")
    found: dict[tuple[str, str], StoredFile] = {}
    plain: dict[str, list[str]] = {}
    for path in (str(fspath(one)) for one in named):
        plain.setdefault(path.split("://", 1)[0] if "://" in path else "", []).append(path)
    for group in plain.values():
        for file in _files_of(group, filesystem):
            found.setdefault((file.filesystem.type_name, file.path), file)  # named twice, a file is read once
    return list(found.values())


def _files_of(paths: Sequence[str], filesystem: Any) -> Iterable[StoredFile]:
    """The files of paths with one scheme; all that name a single file are asked for at once."""
    with _named_faults(paths[0]):
        opened = [_open(path, filesystem) for path in paths]
    single = [place for place in opened if not _is_pattern(*place)]
    known = {}
    for fs_of, _ in {id(place[0]): place for place in single}.values():
        mine = [path for own, path in single if own is fs_of]
        with _named_faults(mine[0]):
            infos = fs_of.get_file_info(mine)
        known.update({(id(fs_of), path): info for path, info in zip(mine, infos, strict=True)})
    for name, (own, path) in zip(paths, opened, strict=True):
        if (id(own), path) not in known:
            yield from _matching(name, own, path)
        else:
            yield from _at(name, own, known[id(own), path])


def _is_pattern(filesystem: Any, path: str) -> bool:
    """Whether a path has signs of a glob, and is not itself the name of a file here."""
    return has_magic(path) and not (filesystem is _local() and os.path.lexists(path))


@contextmanager
def _named_faults(path: str) -> Iterator[None]:
    """What a filesystem says of a place that cannot be reached."""
    try:
        yield
    except OSError as error:
        why = next(iter(str(error).splitlines()), type(error).__name__)
        raise FileError(f"{path}: {why}", "check the path, and whether it can be reached") from error


def _open(path: str, filesystem: Any) -> tuple[Any, str]:
    """(filesystem of pyarrow, path on it)."""
    with importing:
        import pyarrow as pa
        from pyarrow import fs
    if filesystem is not None:
        if not isinstance(filesystem, fs.FileSystem):
            filesystem = fs.PyFileSystem(fs.FSSpecHandler(filesystem))
        return filesystem, path
    if "://" not in path:
        return _local(), path
    try:
        made: tuple[Any, str] = fs.FileSystem.from_uri(path)
        return made
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return _of_fsspec(path)


_LOCAL: list[Any] = []  # one object for all paths, so that they are asked for together


def _local() -> Any:
    from pyarrow import fs

    if not _LOCAL:
        _LOCAL.append(fs.LocalFileSystem())
    return _LOCAL[0]


def _of_fsspec(url: str) -> tuple[Any, str]:
    scheme = url.split("://", 1)[0]
    try:
        with importing:
            import fsspec
    except ImportError as error:
        raise FileError(f"{url}: Arrow does not know {scheme}://", "install fsspec, or pass filesystem=") from error
    from pyarrow import fs

    try:
        filesystem, path = fsspec.core.url_to_fs(url)
    except (ValueError, ImportError) as error:
        raise FileError(f"{url}: {error}", "check the URL, or pass filesystem=") from error
    return fs.PyFileSystem(fs.FSSpecHandler(filesystem)), path


def _at(name: str, filesystem: Any, info: Any) -> Iterable[StoredFile]:
    from pyarrow import fs

    if info.type == fs.FileType.NotFound:
        raise FileError(f"{name}: there is no such file", "check the path")
    if info.type != fs.FileType.Directory:
        yield _stored(name, filesystem, info)
        return
    within = _list_folder(filesystem, info.path, recursive=True)
    own = [entry for entry in within if not _hidden(entry.path, info.path)]
    if not own:
        raise FileError(f"{name}: there is no file in this folder", "name a folder of tables")
    for entry in own:
        yield _stored(_name_of(name, info.path, entry.path), filesystem, entry)


def _matching(name: str, filesystem: Any, pattern: str) -> Iterable[StoredFile]:
    pieces = pattern.split("/")
    first = next(k for k, piece in enumerate(pieces) if has_magic(piece))
    base = "/".join(pieces[:first])
    recursive = first < len(pieces) - 1 or "**" in pattern
    fits = _regex_of(pattern)
    where = base or ("/" if pattern.startswith("/") else ".")
    matches = [
        entry for entry in _list_folder(filesystem, where, recursive) if fits.match(_tidy(entry.path, where, base))
    ]
    if not matches:
        raise FileError(f"no file matches {name}", "check the folder and the pattern")
    for entry in matches:
        yield _stored(_name_of(name, pattern, _tidy(entry.path, where, base)), filesystem, entry)


def _tidy(path: str, where: str, base: str) -> str:
    """A path that a listing of "." gives, as the pattern writes it."""
    return path[2:] if where == "." and not base and path.startswith("./") else path


def _regex_of(pattern: str) -> re.Pattern[str]:
    """A glob as an expression: * and ? stay within a folder, ** passes through folders."""
    signs = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    pieces = re.split(r"(\*\*/|\*\*|\*|\?|\[!?\]?[^]]*\])", pattern)
    spelled = "".join(signs.get(piece) or _bracket(piece) for piece in pieces)
    try:
        return re.compile(spelled + r"\Z", re.DOTALL)
    except re.error as error:
        raise FileError(f"{pattern} is no pattern: {error.msg}", "mend what stands in its brackets") from error


def _bracket(piece: str) -> str:
    """One of the signs in brackets, a backslash and a bracket among them; without a pair of them the piece itself."""
    if len(piece) < 3 or piece[0] != "[" or piece[-1] != "]":
        return re.escape(piece)
    inside = piece[1:-1].replace("\\", r"\\").replace("[", r"\[")
    if inside.startswith("!"):
        return f"[^{inside[1:]}]"
    return "[" + (r"\^" + inside[1:] if inside.startswith("^") else inside) + "]"


def _list_folder(filesystem: Any, folder: str, recursive: bool) -> list[Any]:
    from pyarrow import fs

    try:
        found = filesystem.get_file_info(fs.FileSelector(folder, recursive=recursive))
    except OSError as error:
        raise FileError(f"{folder}: there is no such folder", "check the path") from error
    return sorted((entry for entry in found if entry.type == fs.FileType.File), key=lambda entry: str(entry.path))


def _hidden(path: str, folder: str) -> bool:
    return any(piece.startswith((".", "_")) for piece in PurePosixPath(path[len(folder) :].lstrip("/")).parts)


def _name_of(name: str, given: str, path: str) -> str:
    """What a file is called whose folder or pattern was ``given`` on its filesystem and called ``name``."""
    scheme = name.split("://", 1)[0] + "://" if "://" in name else ""
    return scheme + path.lstrip("/") if scheme else path


def _stored(name: str, filesystem: Any, info: Any) -> StoredFile:
    folders = PurePosixPath(info.path).parts[:-1]
    told = tuple((m[1], m[2]) for folder in folders if (m := _PARTITION.match(folder)))
    if len({key for key, _ in told}) < len(told):
        raise TableError(f"{shown(info.path)}: its folders tell a column twice", "rename one of the folders")
    return StoredFile(name, info.path, filesystem, int(info.size or 0), info.mtime_ns, told)
