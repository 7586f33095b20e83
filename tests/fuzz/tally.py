"""Figures of a run, and the words about it."""

from collections import Counter
from dataclasses import dataclass, field

from tests.fuzz.cases import Case, Kept
from tests.fuzz.judging import Outcome


@dataclass
class Tally:
    """Of one kind."""

    kind: str
    cases: int = 0
    refusals: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    first: dict[str, tuple[Case | Kept, Outcome]] = field(default_factory=dict)  # of each cause
    slowest: float = 0.0

    def add(self, case: Case | Kept, outcome: Outcome) -> None:
        self.cases += 1
        self.slowest = max(self.slowest, outcome.seconds)
        if outcome.refusal is not None:
            self.refusals[outcome.refusal] += 1
        if outcome.cause is not None:
            self.failures[outcome.cause] += 1
            if outcome.cause not in self.first:
                self.first[outcome.cause] = case, outcome
                print(failure_text(case, outcome), flush=True)

    def text(self) -> str:
        refused = ", ".join(f"{count:,} {name}" for name, count in self.refusals.most_common(6))
        lines = [
            f"{self.kind}: {self.cases:,} cases, {self.refusals.total():,} refused ({refused or 'none'}), "
            f"{self.failures.total():,} failed, slowest {self.slowest:.2f} s"
        ]
        for cause, count in self.failures.most_common():
            lines.append(f"  {count:,} times {cause}\n    {self.first[cause][0].command}")
        return "\n".join(lines)


def failure_text(case: Case | Kept, outcome: Outcome) -> str:
    """What went wrong, where, and the command that repeats it."""
    detail = "".join(f"    {line}\n" for line in outcome.detail.rstrip().splitlines()[-40:])
    return f"FAILED {outcome.cause}\n{detail}  {case.command}"
