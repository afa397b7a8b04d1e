"""Compiled code on disk: found again by another process, and mended when it is broken."""

import os
import subprocess
import sys

import pytest

CODE = """
import time
import numpy as np
from emulator import Device
from emulator.engine import runner
from host_api.bench.contestants import Operands, emulated
runner.FUSE_FROM_LANES = 1
operands = Operands((3000,), np.dtype(np.float32))
started = time.perf_counter()
with Device("Ascend950") as device:
    emulated(device, operands)()
print(time.perf_counter() - started)
print(operands.output.tobytes().hex())
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


def run(folder):
    environment = os.environ | {"AIVEMU_CACHE_DIR": str(folder)}
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True, env=environment)
    seconds, output = done.stdout.split()
    return float(seconds), output


def test_a_second_process_compiles_nothing(folder):
    cold, first = run(folder)
    entries = {path.name: path.stat().st_mtime_ns for path in folder.rglob("*.nbc")}
    assert any(name.startswith("fused-") for name in entries)
    warm, second = run(folder)
    assert second == first
    assert warm < cold / 3
    assert {path.name: path.stat().st_mtime_ns for path in folder.rglob("*.nbc")} == entries


def test_broken_entries_are_compiled_again(folder):
    _, before = run(folder)
    broken = [path for path in folder.rglob("*.nbc") if path.name.startswith(("fused-", "lane-"))]
    for path in broken:
        path.write_bytes(path.read_bytes()[:100])
    index = next(folder.rglob("fused-*.nbi"))
    index.write_bytes(b"nonsense")
    _, after = run(folder)
    assert after == before


def test_the_folder_is_named_by_the_engine(folder):
    (engine,) = folder.iterdir()
    assert len(engine.name) == 16
