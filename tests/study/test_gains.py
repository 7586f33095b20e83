"""--gain as people type it, and the files of docs/gain-files.md."""

import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from discriminant.study.gains import read_column_gain, read_gain_option
from discriminant.table.errors import OptionError

PAGE = (Path(__file__).parents[2] / "docs" / "gain-files.md").read_text()
PLAIN = [[0, -4], [-20, 50]]
REJECTING = [[0, -4, -1], [-20, 50, -1]]


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def test_the_page_has_examples_of_every_kind():
    assert [len(blocks(language)) for language in ("sh", "csv", "toml")] == [3, 2, 3]


@pytest.mark.parametrize("kind", ["csv", "toml"])
def test_the_files_of_the_page_are_read(tmp_path, kind):
    for text in blocks(kind):
        path = tmp_path / f"gain.{kind}"
        path.write_text(text)
        gain = read_gain_option(str(path), ["no", "yes"])
        wanted = REJECTING if "reject" in text or "person" in text else PLAIN
        np.testing.assert_array_equal(gain.matrix, wanted)
        assert gain.unit == "EUR"
        turned = read_gain_option(str(path), ["yes", "no"]).matrix
        np.testing.assert_array_equal(turned[:2, :2], np.array(PLAIN)[::-1, ::-1])


def test_the_commands_of_the_page_are_read():
    lines = [line for text in blocks("sh") for line in text.strip().splitlines()]
    for line in lines:
        if "amount" in line:
            assert read_column_gain(shlex.split(line)[-1], ["ok", "fraud"]).columns == ("amount",)
            continue
        gain = read_gain_option(shlex.split(line)[-1], ["no", "yes"])
        np.testing.assert_array_equal(gain.matrix, REJECTING if "reject" in line else PLAIN)


@pytest.mark.parametrize("text", ["1,2,3;4,5,6", "1,2;3,4;5,6", "1,0,0;0,1,0;0,0,1"])
def test_a_matrix_of_another_shape_names_the_shape_that_is_needed(text):
    with pytest.raises(OptionError, match="2×2 are needed"):
        read_gain_option(text, ["no", "yes"])


def test_rows_without_names_in_a_file_make_no_reject_column(tmp_path):
    path = tmp_path / "gain.toml"
    path.write_text('classes = ["no", "yes"]\ngain = [[1, 2, 3], [4, 5, 6]]\n')
    with pytest.raises(OptionError, match="2×2 are needed"):
        read_gain_option(str(path), ["no", "yes"])
