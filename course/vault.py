"""Files that must stay as they were written while students' code runs on the same machine."""

from __future__ import annotations

import shutil
from pathlib import Path


class Vault:
    """Writes files below `top`, remembers them, and writes them again if somebody changed them."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.kept: dict[Path, bytes] = {}

    def remember(self, path: Path) -> None:
        """Keep in memory what a file holds now, if it is there."""
        if path.is_file():
            self.kept[path] = path.read_bytes()

    def put(self, path: Path, content: bytes) -> None:
        """Write a file, whole or not at all, and remember it."""
        self.kept[path] = content
        self._write(path)

    def restore(self) -> list[Path]:
        """Write again what was changed, moved or removed; returns these files."""
        changed = [path for path, content in self.kept.items() if _content(path) != content]
        for path in changed:
            self._write(path)
        return changed

    def _write(self, path: Path) -> None:
        for folder in reversed(path.relative_to(self.top).parents):
            if (self.top / folder).is_symlink() or (self.top / folder).is_file():
                (self.top / folder).unlink()
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".partial")
        partial.unlink(missing_ok=True)
        partial.write_bytes(self.kept[path])
        partial.chmod(0o444)
        partial.replace(path)


def _content(path: Path) -> bytes | None:
    """What a file holds; None if it is no plain file of its own."""
    if path.is_symlink() or not path.is_file():
        return None
    return path.read_bytes()
