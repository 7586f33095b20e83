"""Make docs/report.png anew: two parts of the demo's report, as README and the handbook show them.

DISCRIMINANT_CHROMIUM=/usr/bin/chromium .venv/bin/python docs/_code/report_picture.py
"""

import io
import os
import tempfile
from pathlib import Path

from commands import discriminant
from PIL import Image
from playwright.sync_api import sync_playwright

PICTURE = Path(__file__).parents[1] / "report.png"
SHOWN = ["verdict", "projection"]
HIDE = """shown => document.querySelectorAll("main > *, footer").forEach((part) => {
  if (!shown.includes(part.id)) part.style.display = "none";
})"""


def take(page, address):
    """The shown parts of a report, one below the other."""
    page.goto(address)
    page.evaluate(HIDE, SHOWN)
    page.add_style_tag(content=".contents { display: none } section { border: 0; padding: 2rem 0 1rem }")
    page.wait_for_timeout(500)
    return Image.open(io.BytesIO(page.screenshot(full_page=True))).convert("RGB")


def main():
    """Run the demo and take the picture of its report."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        discriminant("demo", "--out", folder)
        browser = driver.chromium.launch(executable_path=os.environ["DISCRIMINANT_CHROMIUM"], args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1080, "height": 900}, bypass_csp=True)
        take(page, (Path(folder) / "report.html").as_uri()).quantize(128).save(PICTURE, optimize=True)
        browser.close()


if __name__ == "__main__":
    main()
