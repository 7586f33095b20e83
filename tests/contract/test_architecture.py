"""The description of the house names rooms and modules that are there."""

import re
from pathlib import Path

import discriminant

ROOT = Path(__file__).parents[2]
SOURCE = Path(discriminant.__file__).parent
PAGE = (ROOT / "docs" / "architecture.md").read_text()


def test_every_module_that_is_named_is_there():
    named = set(re.findall(r"`([a-z_]+(?:/[a-z_]+)*(?:\.py|/))`", PAGE))
    assert len(named) > 30
    assert [name for name in sorted(named) if not ((SOURCE / name).exists() or (ROOT / name).exists())] == []


def test_every_room_is_in_the_picture():
    picture = PAGE.split("```")[1]
    rooms = [path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists()]
    assert [room for room in sorted(rooms) if not re.search(rf"\b{room}\b", picture)] == []
