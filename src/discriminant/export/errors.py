"""What cannot be exported, or did not come out as it should."""


class ExportError(ValueError):
    """One line: what cannot be said in the other language, and the way out."""
