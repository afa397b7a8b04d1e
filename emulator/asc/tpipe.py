"""TPipe, TQue and TBuf: who owns which part of UB, and the events that hand buffers over."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import Enum, auto

from emulator.asc.context import current_recorder
from emulator.asc.enums import HardEvent, PipeID, TPosition
from emulator.asc.sync import pipe_barrier, set_flag, wait_flag
from emulator.asc.tensors import LocalTensor
from emulator.dtypes import DataType
from emulator.errors import BlockedWait, DeadlockError, UbCapacityError

BLOCK_BYTES = 32
BUFFERS_PER_KERNEL = 64


class TPipe:
    """Owner of the core's UB and of its event ids; one a kernel."""

    def __init__(self) -> None:
        self._recorder = current_recorder()
        if self._recorder.pipe is not None:
            self._recorder.refuse("a kernel has one TPipe; this core already made one")
        self._recorder.pipe = self
        self._used_bytes = 0
        self._taken: dict[HardEvent, list[bool]] = {}
        self._owners: list[tuple[str, int]] = []
        self._queues: list[TQueBind] = []
        self._open = True

    def init_buffer(
        self,
        que: TQueBind | TBuf | None = None,
        num: int = 0,
        len: int = 0,  # noqa: A002  (pyasc's name)
        *,
        buf: TBuf | None = None,
    ) -> None:
        """Give a queue ``num`` buffers of ``len`` bytes, or a TBuf one of ``num`` bytes; each is rounded up to 32 B."""
        target = buf if buf is not None else que
        if isinstance(target, TBuf):
            count, nbytes = 1, num or len
        elif isinstance(target, TQueBind):
            count, nbytes = num, len
            self._queues.append(target)
        else:
            self._recorder.refuse(f"init_buffer takes a TQue, TQueBind or TBuf, not {type(target).__name__}")
        self._recorder.check_range("num", count, 1, BUFFERS_PER_KERNEL)
        if nbytes <= 0:
            self._recorder.refuse(f"a buffer needs at least 1 byte, not {nbytes}")
        size = -(-nbytes // BLOCK_BYTES) * BLOCK_BYTES
        first = self._used_bytes
        self._owners.append((f"{target.label}: {count} x {size} B", count))
        if first + count * size > self._recorder.soc.ub_bytes:
            listed = ", ".join(owner for owner, _ in self._owners)
            self._recorder.refuse(
                f"{target.label} asks for {count} x {size} B, but only {self._recorder.soc.ub_bytes - first} of "
                f"{self._recorder.soc.ub_bytes} B of UB are left (buffers: {listed})",
                UbCapacityError,
            )
        if sum(number for _, number in self._owners) > BUFFERS_PER_KERNEL:
            self._recorder.refuse(f"a kernel may have {BUFFERS_PER_KERNEL} buffers in all", UbCapacityError)
        self._used_bytes = first + count * size
        target.place([first + index * size for index in range(count)], size)

    def alloc_event_id(self, event: HardEvent = HardEvent.V_S) -> int:
        """Take the lowest free id of ``event``; release it with ``release_event_id``."""
        index = self.fetch_event_id(event)
        self._taken[event][index] = True
        return index

    def fetch_event_id(self, event: HardEvent = HardEvent.V_S) -> int:
        """The lowest free id of ``event``, without taking it: fetching twice gives the same id."""
        if not isinstance(event, HardEvent):
            self._recorder.refuse(f"event must be a HardEvent, not {event!r}")
        taken = self._taken.setdefault(event, [False] * self._recorder.soc.event_ids)
        if all(taken):
            self._recorder.refuse(f"all {self._recorder.soc.event_ids} ids of {event.name} are taken")
        return taken.index(False)

    def release_event_id(self, id: int, event: HardEvent = HardEvent.V_S) -> None:  # noqa: A002  (pyasc's name)
        """Give back an id from ``alloc_event_id``."""
        self._recorder.check_range("id", id, 0, self._recorder.soc.event_ids - 1)
        taken = self._taken.get(event)
        if taken is None or not taken[id]:
            self._recorder.refuse(f"id {id} of {event.name} is not taken")
        taken[id] = False

    def destroy(self) -> None:
        """Wait for buffers that are still being read and for every pipe; done by itself when the kernel ends."""
        if self._open:
            self._open = False
            for queue in self._queues:
                queue.free_all_event()
            pipe_barrier(PipeID.PIPE_ALL)


class _Placed:
    """Something that owns UB: its logical position, a label for messages, and the author's line."""

    kind = ""

    def __init__(self, pos: TPosition) -> None:
        self.position = pos
        where = current_recorder().builder.here()
        line = f" (line {where.line})" if where else ""
        self.label = f"{self.kind} {pos.value}{line}"
        self.buffer_bytes = 0

    def _view(self, address: int, dtype: DataType, nbytes: int) -> LocalTensor:
        return LocalTensor(dtype, self.position, address, nbytes // dtype.size_bytes, label=self.label)


class TBuf(_Placed):
    """One buffer for scratch data; it belongs to no queue and needs no freeing."""

    kind = "TBuf"

    def __init__(self, pos: TPosition = TPosition.VECCALC) -> None:
        super().__init__(pos)
        self._address: int | None = None

    def place(self, addresses: list[int], nbytes: int) -> None:
        """Called by TPipe with the buffer's UB address and size."""
        (self._address,), self.buffer_bytes = addresses, nbytes

    def get(self, dtype: DataType, len: int | None = None) -> LocalTensor:  # noqa: A002  (pyasc's name)
        """The buffer as a tensor of ``dtype``; ``len`` elements of it, all by default."""
        recorder = current_recorder()
        if self._address is None:
            recorder.refuse(f"{self.label} has no memory yet: call TPipe.init_buffer first")
        nbytes = self.buffer_bytes if len is None else len * dtype.size_bytes
        if nbytes > self.buffer_bytes:
            recorder.refuse(f"{self.label} has {self.buffer_bytes} B, get asks for {nbytes}", UbCapacityError)
        return self._view(self._address, dtype, nbytes)

    def get_with_offset(self, size: int, buf_offset: int, dtype: DataType) -> LocalTensor:
        """``size`` elements from byte ``buf_offset``, a multiple of 32."""
        recorder = current_recorder()
        if buf_offset % BLOCK_BYTES or buf_offset < 0:
            recorder.refuse(f"buf_offset is {buf_offset}, which is not a multiple of {BLOCK_BYTES}")
        whole = self.get(dtype)
        if buf_offset + size * dtype.size_bytes > self.buffer_bytes:
            recorder.refuse(
                f"{self.label} has {self.buffer_bytes} B, {size} x {dtype} from byte {buf_offset} end at "
                f"{buf_offset + size * dtype.size_bytes}",
                UbCapacityError,
            )
        return self._view(whole.address + buf_offset, dtype, size * dtype.size_bytes)


class _State(Enum):
    FREE = auto()
    OCCUPIED = auto()
    ENQUEUED = auto()
    DEQUEUED = auto()


@dataclass(slots=True)
class _Buffer:
    address: int
    state: _State = _State.FREE
    free_event: int | None = None
    enque_event: int | None = None


# Events of a queue by the positions it joins: what enque sets, and what free_tensor sets.
_EVENTS = {
    (TPosition.GM, TPosition.VECIN): (HardEvent.MTE2_V, HardEvent.V_MTE2),
    (TPosition.VECOUT, TPosition.GM): (HardEvent.V_MTE3, HardEvent.MTE3_V),
    (TPosition.VECIN, TPosition.VECOUT): (HardEvent.MTE2_MTE3, HardEvent.MTE3_MTE2),
}


class TQueBind(_Placed):
    """A queue of buffers between a producer and a consumer, with the events that order them.

    ``alloc_tensor`` waits until the buffer's last consumer is done; ``enque`` and ``deque`` order producer before
    consumer; ``free_tensor`` lets the producer have it again.  Nothing else is ordered.
    """

    kind = "TQueBind"

    def __init__(self, src: TPosition, dst: TPosition, depth: int = 1) -> None:
        super().__init__(src)
        recorder = current_recorder()
        if (src, dst) not in _EVENTS:
            recorder.refuse(f"a queue from {src.name} to {dst.name} does not exist on a vector core")
        self._enque_event, self._free_event = _EVENTS[src, dst]
        self.depth = depth
        self._buffers: list[_Buffer] = []
        self._queue: deque[_Buffer] = deque()
        self._next = 0

    def place(self, addresses: list[int], nbytes: int) -> None:
        """Called by TPipe with the buffers' UB addresses and size."""
        self._buffers = [_Buffer(address) for address in addresses]
        self.buffer_bytes = nbytes

    def _pipe(self) -> TPipe:
        pipe = current_recorder().pipe
        if pipe is None or not self._buffers:
            current_recorder().refuse(f"{self.label} has no memory yet: call TPipe.init_buffer first")
        return pipe

    def alloc_tensor(self, dtype: DataType) -> LocalTensor:
        """A free buffer as a tensor; the producer's pipe waits until its last consumer is done with it."""
        pipe = self._pipe()
        count = len(self._buffers)
        order = [self._buffers[(self._next + step) % count] for step in range(count)]
        buffer = next((candidate for candidate in order if candidate.state is _State.FREE), None)
        if buffer is None:
            recorder = current_recorder()
            waits_for = f"alloc_tensor of {self.label}: all {count} buffers are in use and none was freed"
            raise DeadlockError((BlockedWait(recorder.block_idx, "S", waits_for, recorder.builder.here()),))
        self._next = (self._buffers.index(buffer) + 1) % count
        self._wait_freed(pipe, buffer)
        buffer.state = _State.OCCUPIED
        return self._view(buffer.address, dtype, self.buffer_bytes)

    def enque(self, tensor: LocalTensor) -> None:
        """Hand a tensor to the consumer."""
        pipe = self._pipe()
        buffer = self._find(tensor, _State.OCCUPIED, _State.DEQUEUED)
        if self.depth and len(self._queue) >= self.depth and len(self._queue) >= len(self._buffers):
            current_recorder().refuse(
                f"{self.label} holds {len(self._queue)} tensors already; its depth is {self.depth}"
            )
        buffer.enque_event = pipe.alloc_event_id(self._enque_event)
        set_flag(self._enque_event, buffer.enque_event)
        buffer.state = _State.ENQUEUED
        self._queue.append(buffer)

    def deque(self, dtype: DataType) -> LocalTensor:
        """The oldest tensor handed over; the consumer's pipe waits until its producer is done."""
        pipe = self._pipe()
        if not self._queue:
            current_recorder().refuse(f"deque from {self.label}, which is empty: nothing was enqued")
        buffer = self._queue.popleft()
        assert buffer.enque_event is not None
        wait_flag(self._enque_event, buffer.enque_event)
        pipe.release_event_id(buffer.enque_event, self._enque_event)
        buffer.enque_event = None
        buffer.state = _State.DEQUEUED
        return self._view(buffer.address, dtype, self.buffer_bytes)

    def free_tensor(self, tensor: LocalTensor) -> None:
        """Give a tensor back once its consumer is done."""
        pipe = self._pipe()
        buffer = self._find(tensor, _State.OCCUPIED, _State.DEQUEUED)
        buffer.free_event = pipe.alloc_event_id(self._free_event)
        set_flag(self._free_event, buffer.free_event)
        buffer.state = _State.FREE

    def free_all_event(self) -> None:
        """Wait for the consumers of every freed buffer."""
        pipe = self._pipe()
        for buffer in self._buffers:
            self._wait_freed(pipe, buffer)

    def _wait_freed(self, pipe: TPipe, buffer: _Buffer) -> None:
        if buffer.free_event is not None:
            wait_flag(self._free_event, buffer.free_event)
            pipe.release_event_id(buffer.free_event, self._free_event)
            buffer.free_event = None

    def _find(self, tensor: LocalTensor, *states: _State) -> _Buffer:
        for buffer in self._buffers:
            if buffer.address <= tensor.address < buffer.address + self.buffer_bytes:
                if buffer.state not in states:
                    current_recorder().refuse(f"{tensor.name} is {buffer.state.name.lower()} in {self.label}")
                return buffer
        current_recorder().refuse(f"{tensor.name} does not belong to {self.label}")

    def has_tensor_in_que(self) -> bool:
        return bool(self._queue)

    def get_tensor_count_in_que(self) -> int:
        return len(self._queue)

    def has_idle_buffer(self) -> bool:
        return any(buffer.state is _State.FREE for buffer in self._buffers)

    def vacant_in_que(self) -> bool:
        return len(self._queue) < self.depth


class TQue(TQueBind):
    """A queue into the vector unit (VECIN) or out of it (VECOUT), of at most ``depth`` tensors."""

    kind = "TQue"

    def __init__(self, pos: TPosition, depth: int = 1) -> None:
        if pos is TPosition.VECIN:
            super().__init__(TPosition.GM, TPosition.VECIN, depth)
        elif pos is TPosition.VECOUT:
            super().__init__(TPosition.VECOUT, TPosition.GM, depth)
        else:
            current_recorder().refuse(f"a TQue sits at VECIN or VECOUT, not {getattr(pos, 'name', pos)}")
        self.position = pos
        self.label = self.label.replace("GM", "VECIN")
