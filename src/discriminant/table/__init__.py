"""Real tables: read, described as data, and turned into design matrices."""
