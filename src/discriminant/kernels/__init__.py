"""Compiled loops: arrays and scalars in and out; no classes, no strings."""
