"""Tests that other projects wrote for their own classes, run on ours through a renaming.

`renaming` has a class for each of theirs, with their parameters, learning by ours. `loading` reads an installed test
module, puts the renamed classes where it imports its own, and keeps the tests that use them. What cannot pass is listed
in `exceptions` with its reason, and is expected to fail: one that begins to pass is told.
"""
