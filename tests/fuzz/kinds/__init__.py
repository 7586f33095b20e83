"""A module for each kind, with ``attempt(random, folder)``: makes a case of the random numbers, runs it and judges it."""
