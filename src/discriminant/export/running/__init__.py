"""Exports run where what runs them is at hand: each takes the files and rows, and gives the answers."""
