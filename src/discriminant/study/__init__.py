"""From a table to a decision: compare, choose, decide, and tell."""
