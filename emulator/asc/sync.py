"""Hardware events and barriers within a core."""

from __future__ import annotations

from emulator.asc.context import current_recorder
from emulator.asc.enums import HardEvent, PipeID
from emulator.asc.recorder import CoreRecorder
from emulator.isa.record import Level, Pipe
from emulator.isa.table import lookup

_SET_FLAG = lookup(Level.SYNC, "set_flag")
_WAIT_FLAG = lookup(Level.SYNC, "wait_flag")
_PIPE_BARRIER = lookup(Level.SYNC, "pipe_barrier")


def set_flag(event: HardEvent, event_id: int) -> None:
    """Set the flag (event, event_id) once everything earlier on the event's source pipe is complete."""
    recorder = current_recorder()
    flag = _flag(recorder, event, event_id)
    recorder.emit(_SET_FLAG, event.source, aux=flag)


def wait_flag(event: HardEvent, event_id: int) -> None:
    """Hold the event's destination pipe until the flag is set, then clear it."""
    recorder = current_recorder()
    flag = _flag(recorder, event, event_id)
    recorder.emit(_WAIT_FLAG, event.destination, aux=flag)


def _flag(recorder: CoreRecorder, event: HardEvent, event_id: int) -> int:
    if not isinstance(event, HardEvent):
        recorder.refuse(f"event must be a HardEvent, not {event!r}")
    if not 0 <= event_id < recorder.event_ids:
        recorder.refuse(f"event_id is {event_id}; {recorder.soc.name} has ids 0..{recorder.event_ids - 1}")
    return event.first_flag + event_id


def pipe_barrier(pipe: PipeID) -> None:
    """Later instructions of ``pipe`` wait until its earlier ones are complete; PIPE_ALL waits for every pipe."""
    recorder = current_recorder()
    if not isinstance(pipe, PipeID) or pipe is PipeID.PIPE_S:
        recorder.refuse(f"pipe_barrier takes PIPE_V, PIPE_MTE2, PIPE_MTE3 or PIPE_ALL, not {pipe!r}")
    recorder.emit(_PIPE_BARRIER, Pipe.S if pipe is PipeID.PIPE_ALL else pipe.value)
