"""What `make quick` chooses."""

from tests.quick import CORE, ROOT, chosen


def test_the_core_is_there():
    assert all((ROOT / place.split("::")[0]).exists() for place in CORE)
    assert chosen([]) == sorted(CORE)


def test_rooms_and_test_files_that_changed_are_added():
    changed = ["src/discriminant/export/sql/query.py", "tests/cli/test_commands.py", "src/discriminant/memory.py"]
    added = {"tests/export", "tests/cli/test_commands.py", "tests/test_memory.py"}
    assert set(chosen(changed)) == {*CORE, *added}


def test_a_folder_stands_for_its_files_and_what_has_no_tests_for_nothing():
    changed = ["src/discriminant/table/cells.py", "tests/table/test_forms.py", "README.md", "tests/table/damaged.py"]
    assert set(chosen(changed)) == {*CORE, "tests/table"}
