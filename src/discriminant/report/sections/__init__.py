"""One file a section of the page: from the run to what its template writes."""
