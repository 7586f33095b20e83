"""How fast discriminant is beside its peers, and whether that is fast enough: `python -m benchmarks --help`.

data        what is fitted: Gaussian, 0/1, count, category and sparse tables from a fixed seed
contest     contenders timed in turn, and the bars their times are held against
cases       which learner meets which peer on which shape, with which bar
row_by_row  those of the perceptron, Adaline and the pocket
plain       rules in plain NumPy, where no library has them
memory      the same question for memory, in a process of its own
compiling   the first fit of a process, with an empty and a filled cache of kernels
first_fit   what such a process runs
machine     what it ran on, and how many threads it was given
report      the table and the JSON
"""
