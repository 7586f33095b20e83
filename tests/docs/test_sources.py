"""The sources of the handbook: pictures with words, and a table that leaves no line of the field out."""

import importlib
import inspect
import re

import pytest

import discriminant
from discriminant import findings
from tests.docs.pages import DOCS, ROOT, cells, pages_of, running, sources, table

# What sources and engines are made of, for who writes one; docs/architecture.md tells of them.
INSIDE = {"ArrayRows", "Engine", "Part", "PartRows", "SpooledRows", "ThreadEngine", "in_memory", "read_rows",
          "read_source", "reads_by_passes"}  # fmt: skip
TEXT = {page: page.read_text() for page in sources()}
LABELS = set(re.findall(r"^\(([\w-]+)\)=$", "\n".join(TEXT.values()), re.MULTILINE))
FIGURES = set(re.findall(r"^    name: ([\w-]+)$", "\n".join(TEXT.values()), re.MULTILINE))


@pytest.mark.parametrize("page", running(), ids=lambda page: page.stem)
def test_every_picture_is_told_in_words(page):
    for options, code in cells(page):
        draws = re.search(r"Display\.(from_|of\()|plt\.subplots", code)
        solution = "hide-cell" in options or "remove-input" in options
        if draws and not solution:
            assert "alt: " in options, code
            assert "caption: " in options, code
    for alt in re.findall(r'alt: "(.*)"', page.read_text()):
        assert len(alt) > 40, alt


def test_no_label_is_given_twice():
    given = re.findall(r"^\(([\w-]+)\)=$|^    name: ([\w-]+)$", "\n".join(TEXT.values()), re.MULTILINE)
    names = [a or b for a, b in given]
    assert sorted({name for name in names if names.count(name) > 1}) == []


SYLLABUS = table("theory/syllabus.md", "line")


def test_the_table_has_every_line_of_the_field():
    sections = {1: 6, 2: 6, 3: 3, 4: 8, 5: 3, 6: 4, 7: 5, 8: 2, 9: 2, 10: 12}
    assert [row[0] for row in SYLLABUS] == [f"{k}.{i}" for k, n in sections.items() for i in range(1, n + 1)]


@pytest.mark.parametrize("row", SYLLABUS, ids=[row[0] for row in SYLLABUS])
def test_a_line_has_page_function_picture_and_test(row):
    _, _, page, function, picture, test = row
    assert re.search(r"<([\w-]+)>", page).group(1) in LABELS
    assert re.search(r"<([\w-]+)>", picture).group(1) in FIGURES
    thing = discriminant
    for name in re.search(r"<discriminant\.([\w.]+)>", function).group(1).split("."):
        thing = getattr(thing, name)
    file, name = test.strip("`").split("::")
    assert f"def {name}(" in (ROOT / file).read_text()


def test_sixty_questions_have_an_answer():
    questions = table("theory/questions.md", "question")
    assert len(questions) >= 60
    for _, answer in questions:
        assert pages_of(answer)
        assert all((DOCS / f"{page}.md").exists() for page in pages_of(answer)), answer


@pytest.mark.parametrize("row", table("theory/errata.md", "notes"), ids=lambda row: row[1][:40])
def test_an_erratum_is_told_on_the_page_it_belongs_to(row):
    (page,) = pages_of(row[3])
    assert page == "theory/index" or "## What notes get wrong here" in TEXT[DOCS / f"{page}.md"]


WITH_EXERCISES = [page for page in sources() if page.parent.name == "theory" and page in running()]


@pytest.mark.parametrize("page", WITH_EXERCISES, ids=lambda page: page.stem)
def test_exercises_have_solutions_in_words_and_in_code(page):
    asked, solved = TEXT[page].split("## Exercises\n")[1].split("### Solutions\n")
    numbers = re.findall(r"^(\d+)\. ", asked, re.MULTILINE)
    assert len(numbers) >= 3
    assert re.findall(r"^:::\{dropdown\} Solution (\d+)$", solved, re.MULTILINE) == numbers
    assert re.findall(r'code_prompt_show: "Solution (\d+), in code"', solved) == numbers
    hidden = [code for options, code in cells(page) if "Solution" in options]
    assert [code for code in hidden if "assert" not in code] == []


def test_every_finding_is_in_the_catalogue():
    page = TEXT[DOCS / "reference" / "findings.md"]
    modules = ["findings", "gain.explanation", "study.data_findings", "validation.out_of_fold"]
    kinds = {
        name
        for module in modules
        for name, thing in vars(importlib.import_module(f"discriminant.{module}")).items()
        if inspect.isclass(thing) and issubclass(thing, findings.Finding) and thing is not findings.Finding
    }
    assert sorted(kinds - set(re.findall(r"^### (\w+)$", page, re.MULTILINE))) == []
    code = "\n".join(code for _, code in cells(DOCS / "reference" / "findings.md"))
    shown = set(re.findall(r'"(\w+)"', code))  # each is asserted to be found
    assert sorted(kinds - shown) == ["EstimatedShrinkage"]  # which takes minutes; tests/learners/test_lda.py has it


def test_every_command_is_on_its_page():
    from typer.main import get_command

    from discriminant.cli.main import app

    told = re.findall(r'^help_of\("(\w+)"\)$', TEXT[DOCS / "reference" / "command-line.md"], re.MULTILINE)
    assert sorted(told) == sorted(get_command(app).commands)


def test_every_public_name_is_in_the_reference():
    page = TEXT[DOCS / "reference" / "index.md"]
    named = set(re.findall(r"^   (\w+)$", page, re.MULTILINE))
    assert sorted(set(discriminant.__all__) - named - {"plots", "rows"}) == []
    assert sorted(set(discriminant.plots.__all__) - named) == []
    assert sorted(set(discriminant.rows.__all__) - named - INSIDE) == []
    assert sorted(set(discriminant.validation.__all__) - named) == []


def test_no_page_asks_anything_of_a_network():
    for page in [*(DOCS / "_static").iterdir(), DOCS / "conf.py", *(DOCS / "_code").glob("*.py")]:
        addresses = re.findall(r"https?://[^\s\"')]+", page.read_text())
        assert [one for one in addresses if one != "http://www.w3.org/2000/svg"] == []


def test_every_part_of_the_report_is_told():
    page = TEXT[DOCS / "start" / "report.md"]
    templates = ROOT / "src" / "discriminant" / "report" / "templates"
    headings = {
        heading
        for part in templates.glob("*.html")
        for heading in re.findall(r"<h2 [^>]*>([^<{]+)</h2>", part.read_text())
    }
    assert len(headings) > 8
    assert [heading for heading in sorted(headings) if heading not in page] == []
