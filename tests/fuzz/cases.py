"""What is tried: a case made from (kind, seed, number) alone, or one that was kept."""

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from random import Random

KINDS = (
    "estimators",
    "tables",
    "model_files",
    "run_files",
    "arrow_files",
    "command_lines",
    "export_cells",
    "sources",
)


@dataclass(frozen=True)
class Case:
    """One of the endlessly many cases of a kind."""

    kind: str
    seed: int
    number: int

    def run(self, folder: Path) -> None:
        import_module(f"tests.fuzz.kinds.{self.kind}").attempt(Random(f"{self.kind} {self.seed} {self.number}"), folder)

    @property
    def command(self) -> str:
        return f'make fuzz ARGS="--kind {self.kind} --seed {self.seed} --case {self.number}"'


@dataclass(frozen=True)
class Preparation:
    """What all cases of a kind need; once in a process."""

    kind: str

    def run(self, folder: Path) -> None:
        module = import_module(f"tests.fuzz.kinds.{self.kind}")
        if hasattr(module, "prepare"):
            module.prepare(folder)

    @property
    def command(self) -> str:
        return f'make fuzz ARGS="--kind {self.kind} --cases 1"'


@dataclass(frozen=True)
class Kept:
    """A case that once failed, a function of `corpus`; it is tried with every change."""

    room: str
    name: str

    def run(self, folder: Path) -> None:
        getattr(import_module(f"tests.fuzz.corpus.{self.room}"), self.name)(folder)

    @property
    def kind(self) -> str:
        """Rooms of the corpus bear the names of kinds."""
        return self.room

    @property
    def command(self) -> str:
        return f'make fuzz ARGS="--kept {self.room}.{self.name}"'
