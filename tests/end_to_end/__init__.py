"""The command from outside: its figures recomputed by code that shares nothing with it, and laws of the whole way."""
