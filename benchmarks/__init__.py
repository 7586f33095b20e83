"""How fast discriminant is beside its peers, and whether that is fast enough: `python -m benchmarks --help`.

data      what is fitted: Gaussian, 0/1, count and category tables from a fixed seed
contest   contenders timed in turn, and the bars their times are held against
cases     which learner meets which peer on which shape, with which bar
memory    the same question for memory, in a process of its own
machine   what it ran on, and how many threads it was given
report    the table and the JSON
"""
