"""How the scripts of the gallery draw, and what its small pictures are called."""

import re
from pathlib import Path


def drawn_as_in_the_pages(gallery_conf, fname):
    """Pictures of the gallery look like those of the pages."""
    import matplotlib

    matplotlib.rc_file(Path(__file__).parents[1] / "_code" / "matplotlibrc")


def name_thumbnails(app, docname, source):
    """A small picture has the title of its page as its words."""
    if docname == "pictures/index":
        titles = iter(re.findall(r'thumbnail-title">([^<]+)<', source[0]))
        source[0] = re.sub(r":alt:$", lambda _: f":alt: {next(titles)}", source[0], flags=re.MULTILINE)


def setup(app):
    """A hook of the gallery's own index."""
    app.connect("source-read", name_thumbnails)
    return {"parallel_read_safe": True}
