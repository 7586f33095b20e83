"""The sections of the page: a function each, from the run to what its template writes."""
