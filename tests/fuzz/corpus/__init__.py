"""Cases that failed once, a module for each kind: a function of the case's folder, judged as fuzzed cases are."""
