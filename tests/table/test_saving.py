"""Files that belong together: old or new for every reader, and deaths leave nothing for long."""

import json
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

from discriminant.model import ModelFileError, load, save, tensors
from discriminant.table.errors import FileError
from discriminant.table.saving import NewFile, atomic_write_text, journal, open_committed, write_together
from discriminant.table.saving.parts import UnfinishedFile
from tests.model.test_file import large_model


def read(path):
    with open_committed(path) as file:
        return file.read()


def both(folder, text):
    return [NewFile(folder / name, text) for name in ("a", "b")]


def decided(folder):
    """The state that a kill leaves just after the decision."""
    parts = [UnfinishedFile(folder / name, name) for name in ("a", "b")]
    for part in parts:
        part.file.write(b"new")
        part.complete()
    journal.decide(folder, parts, [])
    for part in parts:
        part.release()


def test_a_reader_sees_what_was_decided_and_finishes_it(tmp_path):
    write_together(both(tmp_path, b"old"))
    decided(tmp_path)
    assert (tmp_path / "a").read_bytes() == b"old"
    assert [read(tmp_path / name) for name in ("a", "b")] == [b"new", b"new"]
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]
    assert (tmp_path / "a").read_bytes() == b"new"


def test_a_reader_who_may_not_write_sees_it_too(tmp_path, monkeypatch):
    write_together(both(tmp_path, b"old"))
    decided(tmp_path)

    def refuse(folder):
        raise PermissionError

    monkeypatch.setattr(journal, "finish", refuse)
    assert [read(tmp_path / name) for name in ("a", "b")] == [b"new", b"new"]


def test_the_next_writer_finishes_first(tmp_path):
    write_together(both(tmp_path, b"old"))
    decided(tmp_path)
    atomic_write_text(tmp_path / "a", "newest")
    assert [read(tmp_path / name) for name in ("a", "b")] == [b"newest", b"new"]


@pytest.mark.parametrize(
    "document",
    [
        "",
        "[]",
        '{"format": "discriminant journal"}',
        {"rename": {"../part": "a"}, "remove": ["b"]},
        {"rename": {".b.discriminant-0123456789ab.part": "a"}, "remove": ["../b.01234567.safetensors"]},
        {"rename": {".a.discriminant-0123456789ab.part": "../a"}, "remove": [1]},
    ],
)
def test_a_journal_that_we_never_wrote_does_nothing(tmp_path, document):
    write_together(both(tmp_path, b"old"))
    if isinstance(document, dict):
        document = json.dumps({"format": "discriminant journal", **document})
    (tmp_path / journal.NAME).write_text(document)
    assert [read(tmp_path / name) for name in ("a", "b")] == [b"old", b"old"]
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]


def test_a_decision_that_cannot_be_carried_out_is_taken_back(tmp_path, monkeypatch):
    write_together(both(tmp_path, b"old"))
    plain = os.replace

    def refuse(source, target):
        if os.path.basename(target) in ("a", "b"):
            raise PermissionError(1, "Operation not permitted")
        plain(source, target)

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(FileError, match="not permitted"):
        write_together(both(tmp_path, b"new"))
    assert [read(tmp_path / name) for name in ("a", "b")] == [b"old", b"old"]
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]


def test_parts_of_the_living_stay_and_those_of_the_dead_go(tmp_path):
    names = [".x.csv.discriminant-0123456789ab.part", ".x.csv.part", ".y.0123456789ab.part"]
    for name in names:
        (tmp_path / name).write_text("left")
    living = UnfinishedFile(tmp_path / "x.csv", "x.csv")
    atomic_write_text(tmp_path / "other.csv", "")
    assert sorted(os.listdir(tmp_path)) == sorted([living.path.name, *names[1:], "other.csv"])
    living.discard()
    living.release()


def test_names_of_any_length_that_a_folder_allows(tmp_path):
    for name in ("a" * 255, "é" * 127, "😀" * 63):
        atomic_write_text(tmp_path / name, "x")
        assert (tmp_path / name).read_text() == "x"
    with pytest.raises(FileError, match="too long"):
        atomic_write_text(tmp_path / ("a" * 256), "x")


def test_a_link_to_itself_is_refused_and_stays(tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(FileError, match="symbolic links"):
        atomic_write_text(tmp_path / "loop", "x")
    assert (tmp_path / "loop").is_symlink()


def test_concurrent_saves_never_remove_each_others_arrays(tmp_path):
    path, models = tmp_path / "model.json", [large_model(0), large_model(1)]
    save(models[0], path)
    threads = [
        threading.Thread(target=lambda k=k: [save(models[(k + i) % 2], path) for i in range(12)]) for k in (0, 1, 1)
    ]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        found = load(path).weights
        assert any(np.array_equal(found, model.weights) for model in models)
    load(path)
    assert len(os.listdir(tmp_path)) == 2


def test_arrays_are_measured_before_they_are_loaded(tmp_path, monkeypatch):
    save(large_model(0), tmp_path / "model.json")
    monkeypatch.setattr(tensors, "MOST_ARRAY_BYTES", 100_000)
    monkeypatch.setattr(tensors.np, "empty", lambda *_: pytest.fail("it was allocated"))
    with pytest.raises(ModelFileError, match="numbers, more than the 12,500 of a file"):
        load(tmp_path / "model.json")


READ_ONLY = """
import os, sys
os.setuid(65534)
from discriminant.table.saving import atomic_write_text
try:
    atomic_write_text(sys.argv[1], "x")
except ValueError as error:
    print(error)
"""


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can become somebody else")
def test_a_folder_of_somebody_else(tmp_path):
    code = READ_ONLY.replace("os.setuid", "from discriminant.table.saving import atomic_write_text\nos.setuid")
    done = subprocess.run([sys.executable, "-c", code, tmp_path / "x"], capture_output=True, text=True, check=False)
    assert "could not be written: Permission denied" in done.stdout, done.stderr
    assert os.listdir(tmp_path) == []
