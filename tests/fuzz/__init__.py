"""Hostile input of every kind, made from a seed: nothing may crash, hang, grow without bound, or answer nonsense."""
