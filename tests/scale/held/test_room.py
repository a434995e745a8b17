"""Bytes are held in memory while there is room, and in files without a name beyond it."""

import gc
import os
import pickle

import numpy as np
import pytest

from mercer.errors import MercerError
from mercer.scale.held import room
from mercer.scale.held.room import HeldBytes, Room

CELLS = np.arange(600, dtype=np.uint8).reshape(200, 3)


@pytest.fixture
def little(monkeypatch):
    """Room for one array of that size."""
    monkeypatch.setattr(room, "ROOM", Room())
    monkeypatch.setattr(room, "budget", lambda: 700)


def test_what_has_no_room_is_in_a_file_without_a_name(little, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    first, second = HeldBytes(CELLS), HeldBytes(CELLS)
    assert (first.in_memory, second.in_memory) == (True, False)
    assert not os.listdir(tmp_path)
    for held in (first, second, second):
        np.testing.assert_array_equal(held.read(), CELLS)


def test_room_is_given_back(little):
    HeldBytes(CELLS)
    gc.collect()
    assert HeldBytes(CELLS).in_memory


def test_another_process_decides_anew(little):
    first, second = HeldBytes(CELLS), HeldBytes(CELLS)
    sent = pickle.dumps(second)
    del first, second
    gc.collect()
    held = pickle.loads(sent)
    assert held.in_memory
    np.testing.assert_array_equal(held.read(), CELLS)


def test_a_full_disk_is_told(little, monkeypatch):
    def full():
        raise OSError("No space left on device")

    monkeypatch.setattr(room, "TemporaryFile", full)
    first = HeldBytes(CELLS)
    with pytest.raises(MercerError, match=r"600 bytes of bins .*No space left.* TMPDIR"):
        HeldBytes(CELLS)
    assert first.in_memory
