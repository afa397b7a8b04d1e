"""Global memory against a model: random sequences of allocating, binding, releasing and access."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emulator.errors import GlobalMemoryError
from emulator.memory import GUARD_BYTES, GlobalMemory


@st.composite
def actions(draw):
    kind = draw(st.sampled_from(["allocate", "bind", "release", "write", "read", "stray"]))
    return (
        kind,
        draw(st.integers(0, 30)),
        draw(st.integers(1, 2000)),
        draw(st.integers(0, 2100)),
        draw(st.integers(0, 255)),
    )


@given(st.lists(actions(), max_size=60))
def test_against_a_model_of_separate_byte_strings(sequence):
    memory = GlobalMemory()
    model: dict[int, bytearray] = {}
    bound: dict[int, np.ndarray] = {}
    released: list[int] = []
    for kind, choice, size, offset, fill in sequence:
        addresses = sorted(model)
        address = addresses[choice % len(addresses)] if addresses else None
        if kind == "allocate":
            model[memory.allocate(size)] = bytearray([0xA5] * size)
        elif kind == "bind":
            array = np.full(size, fill, np.uint8)
            key = memory.bind(array)
            bound[key] = array
            model[key] = bytearray([fill] * size)
        elif kind == "stray":
            for old in released:
                with pytest.raises(GlobalMemoryError, match="freed"):
                    memory.read(old, 1)
                with pytest.raises(GlobalMemoryError):
                    memory.free(old)
        elif address is None:
            continue
        elif kind == "release":
            if address in bound:
                assert bound.pop(address).tobytes() == bytes(model[address])
                memory.unbind(address)
            else:
                memory.free(address)
            del model[address]
            released.append(address)
        else:
            fits = offset + size <= len(model[address])
            if kind == "write" and fits:
                memory.write(address + offset, bytes([fill]) * size)
                model[address][offset : offset + size] = bytes([fill]) * size
            elif fits:
                assert memory.read(address + offset, size).tobytes() == model[address][offset : offset + size]
            else:
                with pytest.raises(GlobalMemoryError):
                    memory.view(address + offset, size)
                with pytest.raises(GlobalMemoryError):
                    memory.write(address + offset, bytes([fill]) * size)
    assert memory.live == len(model)
    assert memory.allocated_bytes == sum(map(len, model.values()))
    for address, content in model.items():
        assert memory.read(address, len(content)).tobytes() == content
    spans = sorted((address, address + len(content)) for address, content in model.items())
    assert all(start - end >= GUARD_BYTES for (_, end), (start, _) in itertools.pairwise(spans))
