"""What is written, and what a reader of it must find: the old, or the new, and never of both."""

import contextlib
import io
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet

from discriminant.cli.fitting import write_run
from discriminant.cli.models import Decision
from discriminant.cli.predicting import PredictOptions, predict_command
from discriminant.cli.setting import set_command
from discriminant.export import export, write_export
from discriminant.gain import Gain
from discriminant.model import DecisionModel, Target, load, save
from discriminant.study.run_file import load_run
from discriminant.table.encoding import IndexedEncoding
from discriminant.table.saving import open_committed

USERS_OWN = {
    "notes.txt": "mine",
    ".model.json.part": "mine",
    "other.0a1b2c3d.safetensors": "mine",
    "model.v2.json": "{}",
}


def content(path):
    """What a reader of ours finds; None where there is nothing."""
    try:
        with open_committed(Path(path)) as file:
            return file.read()
    except FileNotFoundError:
        return None


class Scenario:
    """``write(folder, which)`` writes the old or the new; ``found(folder)`` says of which each thing is."""

    name = ""

    def prepare(self, folder):
        folder.mkdir()
        for name, text in USERS_OWN.items():
            (folder / name).write_text(text)
        self.write(folder, "old")

    def write(self, folder, which):
        raise NotImplementedError

    def found(self, folder):
        raise NotImplementedError


class Run(Scenario):
    """What `fit` writes, with arrays of the model and held-out rows beside it."""

    name = "fit"

    def __init__(self, run, model):
        large = large_model(0)
        self.run, self.models = run, {"old": replace(large, provenance={"tag": "old"})}
        self.models["new"] = replace(large_model(1), provenance={"tag": "new"})

    def write(self, folder, which):
        write_run(folder, self.models[which], self.run | {"title": which}, {folder / "held.csv": f"{which}\n" * 100})

    def found(self, folder):
        yield load(folder / "model.json").provenance["tag"]
        yield load_run(folder / "run.json")["title"]
        yield "new" if b"<title>new" in content(folder / "report.html") else "old"
        yield content(folder / "held.csv").decode()[:3]


class FirstRun(Run):
    """The same into a folder without a run."""

    name = "first fit"

    def prepare(self, folder):
        folder.mkdir()

    def found(self, folder):
        there = [content(folder / name) is not None for name in ("model.json", "run.json", "report.html", "held.csv")]
        if not any(there):
            yield "old"
            return
        assert all(there), there
        yield from super().found(folder)


class Saving(Scenario):
    """`save` of a model whose arrays stand beside it."""

    name = "save"

    def __init__(self, run, model):
        self.models = {"old": large_model(0), "new": large_model(1)}

    def write(self, folder, which):
        save(self.models[which], folder / "model.json")

    def found(self, folder):
        weights = load(folder / "model.json").weights
        yield next(which for which, model in self.models.items() if np.array_equal(weights, model.weights))


class Setting(Scenario):
    """`set`, over another model that has arrays."""

    name = "set"

    def __init__(self, run, model):
        self.model = model

    def prepare(self, folder):
        super().prepare(folder)
        save(self.model, folder.parent / "given.json")

    def write(self, folder, which):
        if which == "old":
            save(replace(large_model(0), provenance={"set": "old"}), folder / "model.json")
        else:
            with contextlib.redirect_stdout(io.StringIO()):
                set_command(folder.parent / "given.json", folder, Decision(threshold=0.3), True)

    def found(self, folder):
        yield "old" if load(folder / "model.json").provenance["set"] == "old" else "new"


class Exporting(Scenario):
    """`export`: three files that belong together."""

    name = "export"

    def __init__(self, run, model):
        self.models = {"old": replace(model, weights=model.weights * 2), "new": model}
        self.contents = {}
        for which, each in self.models.items():
            made = export(each, "sql")
            self.contents[which] = made.files | {"model.vectors.json": made.vectors.to_json()}

    def write(self, folder, which):
        write_export(self.models[which], "sql", folder)

    def found(self, folder):
        for name in ("model.sql", "model.expression.sql", "model.vectors.json"):
            for which in ("old", "new"):
                if content(folder / name) == self.contents[which][name]:
                    yield which
                    break
            else:
                yield f"part of {name}"


class Predicting(Scenario):
    """`predict -o`: one file, written row by row."""

    name = "predict"

    def __init__(self, run, model):
        self.model = model

    def prepare(self, folder):
        save(self.model, folder.parent / "given.json")
        rows = "".join(f"{i / 7:.3f},{i % 5}\n" for i in range(2000))
        (folder.parent / "rows.csv").write_text("x,z\n" + rows)
        super().prepare(folder)

    def write(self, folder, which):
        if which == "old":
            (folder / "answers.csv").write_text("old\n" * 500)
            return
        options = PredictOptions(json=True, out=str(folder / "answers.csv"))
        with contextlib.redirect_stdout(io.StringIO()):
            predict_command(folder.parent / "given.json", [str(folder.parent / "rows.csv")], options, Decision())

    def found(self, folder):
        text = content(folder / "answers.csv").decode()
        whole = text.startswith("row,label") and text.endswith("\n") and text.count("\n") == 2001
        yield "old" if text == "old\n" * 500 else "new" if whole else "part of a table"


class PredictingFolder(Predicting):
    """`predict -o folder/`: three files where there was an empty folder."""

    name = "predict folder"

    def write(self, folder, which):
        out = folder / "answers"
        if which == "old":
            out.mkdir()
            return
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        options = PredictOptions(json=True, out=f"{out}/", partition=800)
        with contextlib.redirect_stdout(io.StringIO()):
            predict_command(folder.parent / "given.json", [str(folder.parent / "rows.csv")], options, Decision())

    def found(self, folder):
        files = sorted((folder / "answers").iterdir()) if (folder / "answers").is_dir() else []
        counts = [pyarrow.parquet.read_metadata(file).num_rows for file in files]
        yield "old" if not files else "new" if counts == [800, 800, 400] else f"parts of {counts} rows"


def large_model(seed):
    weights = np.random.default_rng(seed).standard_normal((1, 21_000))
    target, gain = Target("class", (0, 1)), Gain(np.eye(2))
    return DecisionModel(target, IndexedEncoding(21_000), weights, np.zeros(1), rule="threshold", gain=gain)


SCENARIOS = (Run, FirstRun, Saving, Setting, Exporting, Predicting, PredictingFolder)
