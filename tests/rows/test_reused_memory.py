"""Memory is used again only where nobody can read it any more."""

import threading

import numpy as np

from discriminant.rows.reused_memory import _LEAST_NUMBERS, forget_numbers, numbers_for
from discriminant.rows.table_blocks import side_by_side

N = 2 * _LEAST_NUMBERS


def address(array):
    return array.__array_interface__["data"][0]


def test_what_nobody_refers_to_is_used_again():
    forget_numbers()
    first = address(numbers_for(N))
    assert address(numbers_for(N)) == first
    assert address(numbers_for(N - 7)) == first
    forget_numbers()


def test_every_kind_of_reference_counts():
    kinds = {
        "itself": lambda a: a,
        "part": lambda a: a[10:20],
        "transposed": lambda a: a.reshape(2, -1).T,
        "other type": lambda a: a.view(np.uint64)[::3],
        "row": lambda a: a.reshape(8, -1)[3],
        "bytes": lambda a: memoryview(a),
    }
    for kind, view in kinds.items():
        forget_numbers()
        whole = numbers_for(N)
        whole[:] = 1.0
        held = view(whole)
        place = address(whole)
        del whole
        other = numbers_for(N)
        assert address(other) != place, kind
        other[:] = 2.0
        assert kind == "other type" or np.all(np.asarray(held) == 1.0)
        del held, other
    forget_numbers()


def test_threads_have_their_own():
    forget_numbers()
    places = [address(numbers_for(N))]
    thread = threading.Thread(target=lambda: places.append(address(numbers_for(N))))
    thread.start()
    thread.join()
    assert places[0] != places[1]
    forget_numbers()


def test_blocks_that_are_kept_keep_their_numbers():
    forget_numbers()
    columns = [np.arange(N / 2), np.arange(N / 2) + 1.0]
    kept = [side_by_side([column + k for column in columns], N // 2) for k in range(5)]
    for k, matrix in enumerate(kept):
        assert np.array_equal(matrix[:, 1], columns[1] + k)
    forget_numbers()
