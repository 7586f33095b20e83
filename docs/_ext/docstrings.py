"""Docstrings as reStructuredText: written for a terminal, with names such as coef_ and formulas set by indentation."""

import re

FORMULAS = (None, "Notes")  # sections whose indented blocks are formulas
SPECIAL = re.compile(r"(``.*?``|`[^`]+`|:[a-z:]+:`[^`]+`)|(?<=\w)(_)(?!\w)|(\*+)(?=\w)|(\|)")


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
        lines[k] = SPECIAL.sub(lambda m: m.group(1) or "\\" + (m.group(2) or m.group(3) or m.group(4)), line)


def _is_output(lines, k):
    """Whether a line belongs to what an example prints: no blank line between it and the prompt."""
    while k > 0 and lines[k].strip():
        if lines[k].lstrip().startswith(">>>"):
            return True
        k -= 1
    return False


def leave_out_foreign(app, what, name, obj, skip, options):
    """Members that scikit-learn defines are described by scikit-learn."""
    home = getattr(obj, "__module__", None) or getattr(getattr(obj, "fget", None), "__module__", "")
    return True if home and not str(home).startswith("discriminant") else None


def setup(app):
    """Before numpydoc reads the sections, and after it has written them."""
    app.connect("autodoc-process-docstring", set_formulas, priority=100)
    app.connect("autodoc-process-docstring", escape_names, priority=900)
    app.connect("autodoc-skip-member", leave_out_foreign)
    return {"parallel_read_safe": True}
