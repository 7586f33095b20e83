"""Minimising: smooth criteria, margins, and the rules that go row by row."""
