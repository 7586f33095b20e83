"""Sparse text: the same matrix as line by line, bad lines named, real files read whole."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discriminant.table.errors import BadRow, TableError
from discriminant.table.reading import open_table
from discriminant.table.reading.batch import BadRows, SkippedRows
from discriminant.table.reading.formats import is_sparse_text
from discriminant.table.reading.svmlight_file import _at_once, _line_by_line, parse_lines

numbers = st.floats(allow_nan=False, allow_infinity=False)
sparse_rows = st.lists(
    st.tuples(numbers, st.dictionaries(st.integers(1, 50), numbers, max_size=5)), min_size=1, max_size=8
)


def written(rows, comment=""):
    lines = [
        " ".join([repr(label), *(f"{j}:{v!r}" for j, v in sorted(pairs.items()))]) + comment for label, pairs in rows
    ]
    return "\n".join(lines) + "\n"


@pytest.fixture
def table(tmp_path):
    def opened(text, **options):
        path = tmp_path / "t.svm"
        path.write_text(text)
        return open_table([path], **options)

    return opened


@given(sparse_rows, st.sampled_from(["", " # a 3:4 comment", " \t"]))
def test_what_is_written_is_read(rows, comment):
    found = parse_lines(written(rows, comment).encode(), 1, BadRows("t", False, SkippedRows()))
    assert found.labels.tolist() == [label for label, _ in rows]
    assert found.lines.tolist() == list(range(1, len(rows) + 1))
    for i, (_, pairs) in enumerate(rows):
        own = slice(found.starts[i], found.starts[i + 1])
        assert dict(zip(found.indices[own].tolist(), found.values[own].tolist(), strict=True)) == pairs


@given(st.text(st.sampled_from("01:. -+\n"), max_size=30))
def test_at_once_and_line_by_line_agree(text):
    fast = _at_once(text.encode(), 1)
    skipped = SkippedRows()
    slow = _line_by_line(text.encode(), 1, BadRows("t", True, skipped))
    if fast is not None:
        assert skipped.total == 0
        for one, other in zip(fast, slow, strict=True):
            np.testing.assert_array_equal(one, other)


def test_read_whole(table):
    matrix, labels = (source := table("+1 1:0.5 3:2\n\n-1 2:1e3 # x\n1\n", format="svmlight")).read_sparse()
    assert matrix.toarray().tolist() == [[0.5, 0, 2], [0, 1000, 0], [0, 0, 0]]
    assert labels.tolist() == [1, -1, 1]
    assert labels.dtype == np.int64
    assert source.first_index == 1


def test_indices_from_zero(table):
    source = table("1 0:5\n0 2:1\n")
    matrix, _ = source.read_sparse()
    assert (matrix.shape, source.first_index) == ((2, 3), 0)


def test_batches_fit_the_model(table):
    source = table("1 1:1 2:2\n0 9:9\n1 3:3\n")
    batches = list(source.sparse_batches(3, 1, block_bytes=8))
    assert len(batches) > 1
    assert np.vstack([b.matrix.toarray() for b in batches]).tolist() == [[1, 2, 0], [0, 0, 0], [0, 0, 3]]
    assert np.concatenate([b.lines for b in batches]).tolist() == [1, 2, 3]
    with pytest.raises(BadRow, match="line 1: an index is less than 2"):
        list(source.sparse_batches(3, 2))
    assert sum(b.labels.size for b in source.sparse_batches(3, 2, on_error="skip")) == 2
    assert source.skipped_rows == 1


BAD = [
    ("1 2:x", "value at index 2 is 'x'"),
    ("1 2:inf", "no finite number"),
    ("a 2:3", "the label is 'a'"),
    ("1 2:3 2:4", "index 2 stands there twice"),
    ("1 -2:3", "is not index:value"),
    ("1 2 3", "is not index:value"),
    ("1 1.5:3", "is not index:value"),
    ("1 99999999999:3", "is larger than 2147483646"),
    ("1 2:3:4", "no finite number"),
]


@pytest.mark.parametrize(("line", "said"), BAD)
def test_bad_lines_are_named(table, line, said):
    source = table("1 1:1\n" * 50 + line + "\n" + "0 2:1\n" * 50)
    with pytest.raises(BadRow, match=f"line 51: .*{said}"):
        source.read_sparse()
    matrix, _ = source.read_sparse(on_error="skip")
    assert matrix.shape[0] == 100
    assert [line for _, line, _ in source.skipped] == [51]


def test_indices_out_of_order_are_put_in_order(table):
    matrix, _ = table("1 3:3 1:1\n").read_sparse()
    assert matrix.toarray().tolist() == [[1, 0, 3]]
    assert matrix.has_sorted_indices


def test_lines_without_labels(table):
    source = table("1:1 2:2\n2:5\n")
    assert source.format == "svmlight"
    (batch,) = source.sparse_batches(2, 1)
    assert batch.matrix.toarray().tolist() == [[1, 2], [0, 5]]
    assert np.isnan(batch.labels).all()
    with pytest.raises(TableError, match="line 1 has no label"):
        source.read_sparse()


@pytest.mark.parametrize(
    ("head", "sparse"),
    [
        (b"+1 1:0.5 2:1\n-1 3:1\n", True),
        (b"# made by x\n1 qid:3 1:1\n", True),
        (b"a,b\n1:2,3\n", False),
        (b"time\n12:30\n12:45\n", False),
        (b"1 2 3\n4 5 6\n", False),
        (b"1,2\n", False),
    ],
)
def test_sparse_text_is_recognised(head, sparse):
    assert is_sparse_text(head) == sparse


def test_columns_are_not_asked_of_sparse_files(table):
    source = table("1 1:1\n")
    with pytest.raises(TypeError, match="read_sparse"):
        source.read()
    with pytest.raises(TypeError, match="sparse_batches"):
        source.batches(["x"])


@pytest.mark.parametrize(
    ("name", "shape", "positive"),
    [
        ("a9a/a9a.svm.gz", (32561, 123), 7841),
        ("rcv1_small/rcv1_small_train.svm.gz", (1000, 47117), 459),
        ("farm_ads/farm_ads.svm.gz", (4143, 54877), 2210),
        ("heart_scale/heart_scale.svm", (270, 13), 120),
    ],
)
def test_real_files(shared, name, shape, positive):
    source = open_table([shared / name])
    matrix, labels = source.read_sparse()
    assert matrix.shape == shape
    assert (labels == 1).sum() == positive
    batches = list(source.sparse_batches(shape[1], 1))
    assert sum(b.matrix.nnz for b in batches) == matrix.nnz
