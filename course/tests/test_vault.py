"""Files that students' code changes are put back."""

import shutil

import pytest

from course.vault import Vault


def changed(path):
    path.chmod(0o644)
    path.write_bytes(b"vandal")


def linked(path):
    path.unlink()
    path.symlink_to("/etc/hostname")


def made_a_folder(path):
    path.unlink()
    path.mkdir()
    (path / "inside").write_text("x")


DAMAGE = {
    "changed": changed,
    "removed": lambda path: path.unlink(),
    "a link": linked,
    "a folder": made_a_folder,
    "its folder moved": lambda path: path.parent.rename(path.parent.with_name("elsewhere")),
    "its folder a file": lambda path: (shutil.rmtree(path.parent), path.parent.write_text("x")),
    "its folder a link": lambda path: (
        shutil.rmtree(path.parent),
        path.parent.symlink_to(path.parents[1]),
    ),
}


@pytest.mark.parametrize("what", DAMAGE)
def test_whatever_was_done_to_a_file_is_undone_and_told(tmp_path, what):
    vault, path = Vault(tmp_path), tmp_path / "graded" / "ada" / "one.ipynb"
    vault.put(path, b"honest")
    assert vault.restore() == []
    DAMAGE[what](path)
    assert vault.restore() == [path]
    assert path.read_bytes() == b"honest"
    assert not path.is_symlink()
    assert not path.parent.is_symlink()
    assert vault.restore() == []


def test_what_was_there_before_is_remembered(tmp_path):
    path = tmp_path / "graded" / "one.ipynb"
    path.parent.mkdir()
    path.write_bytes(b"of last week")
    vault = Vault(tmp_path)
    vault.remember(path)
    vault.remember(tmp_path / "never there")
    path.unlink()
    assert vault.restore() == [path]
    assert path.read_bytes() == b"of last week"
