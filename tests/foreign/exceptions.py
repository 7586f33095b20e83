"""Tests of other projects that cannot pass here, and why.

Keys are names of tests as pytest prints them after ``::``; ``*`` stands for any text. Each is expected to fail, so that
one that begins to pass is noticed.
"""

EXCEPTIONS: dict[str, str] = {}
