"""Scratch folders: the dead's are removed, the living's never, whatever their age."""

import os

import pytest

from filingforest.publish import scratch


@pytest.fixture(autouse=True)
def own_temporary_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(scratch.tempfile, "tempdir", str(tmp_path))


def test_a_folder_in_use_stays():
    with scratch.scratch_folder() as folder:
        os.utime(folder, (0, 0))
        scratch.clean_scratch(0)
        assert folder.is_dir()
    assert not folder.exists()


def test_what_the_dead_left_goes(tmp_path):
    left, fresh = tmp_path / f"{scratch.PREFIX}left", tmp_path / f"{scratch.PREFIX}fresh"
    left.mkdir()
    (left / ".lock").touch()
    fresh.mkdir()  # its publisher has not locked it yet
    scratch.clean_scratch(-1)
    assert not left.exists() and fresh.is_dir()
    os.utime(fresh, (0, 0))
    scratch.clean_scratch(0)
    assert not fresh.exists()
