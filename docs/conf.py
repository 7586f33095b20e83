"""The handbook: what Sphinx is told. `make docs` builds it, and every code block on its pages runs then."""

import importlib.util
import os
import sys
from pathlib import Path
from shutil import copytree

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

project = "discriminant"
author = "The discriminant developers"
copyright = "the discriminant developers"
version = release = "0.1.0"

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "numpydoc",
    "myst_nb",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "docstrings",
    "gallery_look",
]
exclude_patterns = ["_build", "_code", "_ext", "gallery", "README.md"]
exclude_patterns += ["pictures/*.ipynb"]  # the gallery writes each page as a notebook, too
templates_path = ["_templates"]
suppress_warnings = ["misc.highlighting_failure"]  # csv, and SQL with places to fill in

# --- pages that run: each in a kernel of its own, again only where its code has changed ---
nb_execution_mode = "cache"
nb_execution_cache_path = str(HERE / "_build" / "executed")
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_merge_streams = True
PROFILE = HERE / "_build" / "ipython" / "profile_default"
PROFILE.mkdir(parents=True, exist_ok=True)
(PROFILE / "ipython_kernel_config.py").write_text(
    "c.IPKernelApp.log_level = 40  # errors alone\n"
    "c.PlainTextFormatter.float_precision = '%.6g'  # what a reader can use of a number\n"
)
os.environ["IPYTHONDIR"] = str(PROFILE.parent)  # nothing of the reader's own
os.environ.pop("MPLBACKEND", None)  # pictures go into the page, whatever the reader draws with
os.environ["MATPLOTLIBRC"] = str(HERE / "_code")
os.environ["PYTHONPATH"] = os.pathsep.join([str(HERE / "_code"), os.environ.get("PYTHONPATH", "")])

myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence", "deflist", "attrs_inline", "attrs_block"]
myst_heading_anchors = 4
myst_dmath_double_inline = True

# --- the reference: numpydoc's sections, one page for each public name ---
autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
default_role = "py:obj"

# --- the gallery: a script for each picture ---
sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "pictures",
    "capture_repr": (),
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 1_000_000,
    "write_computation_times": False,
    "remove_config_comments": True,
    "reset_modules": ("gallery_look.drawn_as_in_the_pages", "matplotlib"),
}

# --- how it looks ---
html_theme = "pydata_sphinx_theme"
html_title = "discriminant: the handbook of linear classification"
html_static_path = ["_static"]
html_css_files = ["handbook.css"]
html_js_files = [("explorables.js", {"defer": "defer"})]
html_show_sourcelink = False
html_copy_source = False
html_search_scorer = str(HERE / "_static" / "search_scorer.js")
html_show_search_summary = False  # it would fetch the pages, which a browser refuses to pages opened from a disk
html_theme_options = {
    "logo": {"text": "discriminant"},
    "show_prev_next": True,
    "navigation_with_keys": False,
    "header_links_before_dropdown": 6,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "show_toc_level": 2,
    "pygments_light_style": "tango",
    "pygments_dark_style": "github-dark",
}
html_context = {"default_mode": "auto"}
html_sidebars = {"index": []}

# --- MathJax, kept beside the pages so that they read without a network ---
mathjax_path = "mathjax/tex-chtml.js"
# Without the menu and the reader's speech rules nothing more is asked for than this file and its fonts.
mathjax3_config = {"options": {"enableMenu": False}}


def copy_mathjax(app, exception):
    """Put the part of MathJax that these pages ask for beside them."""
    if exception is not None or app.builder.format != "html":
        return
    found = importlib.util.find_spec("sphinx-mathjax-offline")
    if found is None or found.origin is None:
        raise RuntimeError("MathJax is not installed: pip install sphinx-mathjax-offline, or `make docs`")
    source = Path(found.origin).parent / "static" / "mathjax"
    target = Path(app.outdir) / "_static" / "mathjax"
    fonts = Path("output") / "chtml" / "fonts" / "woff-v2"
    copytree(source / fonts, target / fonts, dirs_exist_ok=True)
    (target / "tex-chtml.js").write_bytes((source / "tex-chtml.js").read_bytes())


def setup(app):
    """Hooks of this handbook alone."""
    app.connect("build-finished", copy_mathjax)
