"""A module for each kind. ``attempt(random, folder)`` makes a case of the random numbers, runs it and judges it;

``prepare(folder)``, where there is one, makes what all cases of the kind need, in the folder above that of a case.
"""
