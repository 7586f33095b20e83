"""A PostgreSQL of our own in a folder, where the server is installed; it does not run as root."""

import csv
import io
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np

from discriminant.export.checks import Answers
from discriminant.export.plan import CategoryColumn
from discriminant.export.sql.query import names_of

_TYPES = {"number": "double precision", "flag": "boolean", "date": "timestamp"}


def programs():
    """The folder with initdb and pg_ctl; None where there is no server."""
    folders = [*map(Path, os.environ["PATH"].split(":")), *sorted(Path("/usr/lib/postgresql").glob("*/bin"))]
    return next((f for f in folders if (f / "initdb").exists() and (f / "pg_ctl").exists()), None)


class Server:
    """Started in a folder, without a port."""

    def __init__(self, folder):
        self.folder, self.bin = folder, programs()
        self.owner = {"user": "postgres"} if os.getuid() == 0 else {}
        if self.owner:
            shutil.chown(folder, "postgres")
        self._call("initdb", "-D", "data", "-A", "trust", "-E", "UTF8", "--locale=C", "-U", "tests", "--no-sync")
        self._call("pg_ctl", "-D", "data", "-l", "log", "-w", "-o", f"-k {folder} -F -c listen_addresses=", "start")

    def _call(self, program, *arguments):
        command = [str(self.bin / program), *arguments]
        subprocess.run(command, cwd=self.folder, check=True, stdout=subprocess.DEVNULL, timeout=60, **self.owner)

    def stop(self):
        self._call("pg_ctl", "-D", "data", "-m", "immediate", "stop")

    def answers(self, query, plan, cells, *, typed):
        """Of rows whose columns have their own types, or are texts."""
        names = names_of(plan)
        columns = [
            (c.name, "text" if isinstance(c, CategoryColumn) or not typed else _TYPES[c.kind]) for c in plan.columns
        ]
        declared = ", ".join(f"{_name(n)} {kind}" for n, kind in columns)
        rows = zip(*(cells[c.name] for c in plan.columns), strict=True)
        lines = "\n".join(",".join([str(i), *map(_cell, row)]) for i, row in enumerate(rows))
        wanted = (names.label, *names.scores, *(names.probabilities if plan.offsets is not None else ()))
        script = f"""SET timezone = 'America/New_York';
CREATE TEMP TABLE your_table ("row of the test" integer, {declared});
COPY your_table FROM STDIN (FORMAT csv, NULL '\\N');
{lines}
\\.
CREATE TEMP TABLE answers AS {query};
COPY (SELECT {", ".join(map(_name, wanted))} FROM answers
ORDER BY "row of the test") TO STDOUT (FORMAT csv, NULL '\\N');
"""
        command = [
            shutil.which("psql"),
            "-h",
            str(self.folder),
            "-U",
            "tests",
            "-qX",
            "-v",
            "ON_ERROR_STOP=1",
            "postgres",
        ]
        done = subprocess.run(command, input=script.encode(), capture_output=True, timeout=120)
        assert done.returncode == 0, done.stderr.decode()[:500]
        found = list(csv.reader(io.StringIO(done.stdout.decode(), newline="")))
        numbers = np.array([[np.nan if x == "\\N" else float(x) for x in row[1:]] for row in found])
        planes = len(names.scores)
        posteriors = numbers[:, planes:] if plan.offsets is not None else None
        if posteriors is not None and planes == 1:
            posteriors = np.column_stack([1 - posteriors, posteriors])
        return Answers(numbers[:, :planes], posteriors, [None if row[0] == "\\N" else row[0] for row in found])


def _name(name):
    return '"' + name.replace('"', '""') + '"'


def _cell(cell):
    return "\\N" if cell is None else '"' + str(cell).replace('"', '""') + '"'
