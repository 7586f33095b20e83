"""Exact arithmetic: whole numbers, rationals, residues."""
