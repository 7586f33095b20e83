"""Docstrings as reStructuredText: written for a terminal, with names such as coef_ and formulas set by indentation."""

import re

FORMULAS = (None, "Notes")  # sections whose indented blocks are formulas
SPECIAL = re.compile(r"(``.*?``|`[^`]+`|:[a-z:]+:`[^`]+`)|(?<=\w)(_)(?!\w)|(\|)")
ENTRY = re.compile(r"(\*{0,2}\w+(?: \([^)]*\))?(?:, \*{0,2}\w+(?: \([^)]*\))?)*) : (.*)")
# Verbs by which a learner is put together; its users need others.
INNER = {
    "check_fitted", "check_parameters", "column_names_in", "fit_moments", "learn", "learn_evidence", "learn_from",
    "place_of", "read_columns", "read_rows", "read_source", "reading_plan", "refuse_parts", "refuse_scores",
    "score_matrix", "scores", "wants_each_class", "summarise", "learn_rows",
}  # fmt: skip
attributes: dict[str, list[str]] = {}  # of the classes being written


def set_formulas(app, what, name, obj, options, lines):
    """Indented blocks of the text become literal blocks, so that their columns stay where they are."""
    section, found, in_block = None, [], False
    for k, line in enumerate(lines):
        following = lines[k + 1] if k + 1 < len(lines) else ""
        if following and set(following) == {"-"} and line.strip():
            section = line.strip()
        indented = line.startswith("    ")
        listed = bool(found) and any(re.match(r"\s*([-*]|\d+\.) ", before) for before in found[-2:])
        if indented and not in_block and section in FORMULAS and k and not lines[k - 1].strip() and not listed:
            found += ["::", ""]
            in_block = True
        elif line.strip() and not indented:
            in_block = False
        found.append(line)
    lines[:] = found


def _sections(lines):
    """(heading or None, its lines) of a docstring, in order; an example after a section is no part of it."""
    found = [(None, [])]
    for k, line in enumerate(lines):
        if line.startswith(">>>") and found[-1][0] in ("Parameters", "Returns", "Attributes", "Raises"):
            found.append(("Examples", [line]))
        elif k + 1 < len(lines) and lines[k + 1] and set(lines[k + 1]) == {"-"} and line.strip():
            found.append((line.strip(), []))
        elif not (line and set(line) == {"-"}):
            found[-1][1].append(line)
    return found


def tell_parameters(app, what, name, obj, options, lines):
    """`name : what it is` has no type: what it is becomes the text. Attributes are kept for the end, as a list."""
    if what not in ("class", "function", "method", "attribute", "property", "exception"):
        return
    told = []
    for heading, body in _sections(lines):
        if heading == "Attributes":
            attributes[name] = body
            continue
        told += [] if heading is None else [heading, "-" * len(heading)]
        for line in body:
            entry = ENTRY.match(line) if heading == "Parameters" else None
            told += [line] if entry is None else [entry.group(1), "    " + entry.group(2)]
    lines[:] = told


def list_attributes(app, what, name, obj, options, lines):
    """The attributes of a class, an item for each line that begins with names."""
    body = attributes.pop(name, None) if what in ("class", "exception") else None
    if not body:
        return
    found = [".. rubric:: Attributes", ""]
    for line in body:
        entry = ENTRY.match(line)
        if entry:
            found += [] if found[-1].startswith(("- ", "  ")) else [""]
            found.append(f"- ``{entry.group(1)}``: {entry.group(2)}")
        elif line.strip():
            found.append(("  " if found[-1].startswith(("- ", "  ")) else "") + line.strip())
    place = next((k for k, line in enumerate(lines) if line.startswith(".. rubric:: ")), len(lines))
    lines[place:place] = [*found, ""]


def escape_names(app, what, name, obj, options, lines):
    """coef_ and |score| are no references; what stands in backticks or in an example is left alone."""
    literal = None  # the indentation of what a literal block hangs on
    for k, line in enumerate(lines):
        depth = len(line) - len(line.lstrip())
        if literal is not None:
            if not line.strip() or depth > literal:
                continue
            literal = None
        if line.rstrip().endswith("::") and not line.lstrip().startswith(".. "):
            literal = depth
            continue
        if line.lstrip().startswith((">>>", "...", "..")) or _is_output(lines, k):
            continue
        lines[k] = SPECIAL.sub(lambda m: m.group(1) or "\\" + (m.group(2) or m.group(3)), line)


def _is_output(lines, k):
    """Whether a line belongs to what an example prints: no blank line between it and the prompt."""
    while k > 0 and lines[k].strip():
        if lines[k].lstrip().startswith(">>>"):
            return True
        k -= 1
    return False


def leave_out_foreign(app, what, name, obj, skip, options):
    """Members that scikit-learn defines are described by scikit-learn."""
    if name in INNER and what == "class":
        return True
    home = getattr(obj, "__module__", None) or getattr(getattr(obj, "fget", None), "__module__", "")
    return True if home and not str(home).startswith("discriminant") else None


def setup(app):
    """Before numpydoc reads the sections, and after it has written them."""
    app.connect("autodoc-process-docstring", set_formulas, priority=100)
    app.connect("autodoc-process-docstring", tell_parameters, priority=200)
    app.connect("autodoc-process-docstring", list_attributes, priority=800)
    app.connect("autodoc-process-docstring", escape_names, priority=900)
    app.connect("autodoc-skip-member", leave_out_foreign)
    return {"parallel_read_safe": True}
