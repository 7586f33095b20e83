"""How much memory there is: by the limits of the process, of its control group, and of the machine."""

import os
import platform
import resource
import subprocess
import sys

import pytest

from discriminant import memory


@pytest.fixture
def system(tmp_path, monkeypatch):
    """A system that says only what the test writes."""
    groups = tmp_path / "cgroup"
    monkeypatch.setattr(memory, "_PROC", tmp_path / "proc")
    monkeypatch.setattr(
        memory,
        "_GROUP_FILES",
        {
            key: (groups / root.relative_to(memory._GROUPS), *names)
            for key, (root, *names) in memory._GROUP_FILES.items()
        },
    )
    monkeypatch.setattr(memory.os, "sysconf_names", {})

    def write(path, text):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)

    return write


def test_unknown_where_nothing_is_said(system):
    assert memory.available_bytes() is None


def test_free_memory(system):
    system("proc/meminfo", "MemTotal: 2048 kB\nMemAvailable:    1024 kB\n")
    assert memory.available_bytes() == 1024 * 1024


def test_a_group_is_bound_by_those_above_it(system):
    system("proc/self/cgroup", "0::/jobs/own\n")
    system("cgroup/memory.max", "max\n")
    system("cgroup/jobs/memory.max", "1000\n")
    system("cgroup/jobs/memory.current", "700\n")
    system("cgroup/jobs/memory.stat", "anon 600\ninactive_file 50\n")
    system("cgroup/jobs/own/memory.max", "5000\n")
    system("cgroup/jobs/own/memory.current", "700\n")
    assert memory.available_bytes() == 350


def test_a_group_of_the_first_version(system):
    system("proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/x\n")
    system("cgroup/memory/x/memory.limit_in_bytes", "1000\n")
    system("cgroup/memory/x/memory.usage_in_bytes", "1200\n")
    assert memory.available_bytes() == 0


@pytest.mark.parametrize(
    ("size", "said"),
    [(0, "0 bytes"), (999, "999 bytes"), (1_500, "1.5 kB"), (999_999, "1 MB"), (2 * 10**15, "2e+03 TB")],
)
def test_sizes_as_they_are_said(size, said):
    assert memory.readable_size(size) == said


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how much address space is in use")
def test_the_limit_of_the_process():
    code = "from discriminant.memory import *; print(available_bytes(), address_space_bytes())"
    limit = 300_000_000
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )
    available, address_space = map(int, done.stdout.split())
    assert 100_000_000 < available <= address_space < limit


_FAULTS = """
import resource, numpy as np
from contextlib import nullcontext
from discriminant.memory import freed_memory_reused

def faults(context):
    with context:
        np.ones(1 << 18)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        for _ in range(20):
            np.ones(1 << 18)
        return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

print(faults(nullcontext()), faults(freed_memory_reused()), faults(nullcontext()))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc's malloc is set so")
def test_freed_memory_is_used_again_where_the_environment_has_it_given_back():
    done = subprocess.run(
        [sys.executable, "-c", _FAULTS],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "MALLOC_TRIM_THRESHOLD_": "65536"},
    )
    before, inside, after = map(int, done.stdout.split())
    each = (1 << 21) // resource.getpagesize()  # pages of an array
    assert inside < each
    assert min(before, after) >= 20 * each
