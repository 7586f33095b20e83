"""Margins: the slab between two classes, by dual descent, active sets and interior points."""
