"""SQL for several databases: expressions, and a whole SELECT."""
