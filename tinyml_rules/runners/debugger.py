"""Reads the memory of a machine in QEMU when its code reaches marks.

QEMU's plugins cannot read memory before version 9, but its debugger interface can: GDB's remote
serial protocol, of which this module implements the few commands that it needs.
"""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tinyml_rules.errors import ToolError
from tinyml_rules.runners.watching import Recorder, Watching, record
from tinyml_rules.system.programs import find_program

_PROGRAM_COUNTERS = {"arm": 15, "riscv": 32, "xtensa": 0, "lx106": 16}
"""The number of the program counter in GDB's protocol, by architecture, or by processor if it has
an order of its own."""
_MOST_BYTES = 1024
"""Most bytes of memory in a packet, which QEMU limits to 4096 characters."""
_CONNECT_S = 60.0


def run_watched(
    command: Sequence[str],
    watching: Watching,
    *,
    cpus: tuple[str, ...],
    folder: Path,
    where: str,
    timeout_s: float,
) -> tuple[subprocess.CompletedProcess[bytes], bytes]:
    """Run QEMU to its end; returns the finished process and the records (watching.py).  Raises
    ToolError.

    `cpus`: names of the processor, the most specific first.
    """
    program = find_program(command[0]) or command[0]
    server, messages = folder / "debugger", folder / "messages.txt"
    words = [program, *command[1:], "-S", "-gdb", f"unix:path={server},server=on,wait=off"]
    deadline = time.monotonic() + timeout_s
    counter = next(_PROGRAM_COUNTERS[each] for each in cpus if each in _PROGRAM_COUNTERS)
    try:
        with (
            messages.open("wb") as errors,
            subprocess.Popen(
                words, cwd=folder, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors
            ) as process,
        ):
            try:
                with _connected(server, process, deadline) as stub:
                    records = b"".join(_records(stub, watching, counter))
                status = process.wait(max(deadline - time.monotonic(), 1.0))
            finally:
                process.kill()
    except FileNotFoundError as error:
        raise ToolError.at(where, f"'{command[0]}' is not installed") from error
    except (TimeoutError, subprocess.TimeoutExpired) as error:
        raise ToolError.at(where, f"did not finish within {timeout_s:g} s") from error
    except (ConnectionError, _ProtocolError) as error:
        found = messages.read_text(errors="replace").strip() or str(error)
        raise ToolError.at(where, f"QEMU does not let its memory be read: {found}") from error
    return subprocess.CompletedProcess(words, status, b"", messages.read_bytes()), records


class _ProtocolError(Exception):
    """QEMU sent an answer that is not understood."""


class _Stub:
    """The connection to QEMU, which runs the machine."""

    def __init__(self, connection: socket.socket, deadline: float) -> None:
        self._socket = connection
        self._deadline = deadline
        self._received = bytearray()

    def ask(self, command: str) -> str:
        """The answer to a command; empty if QEMU does not know it or has ended."""
        data = command.encode("ascii")
        try:
            self._socket.sendall(b"$%s#%02x" % (data, sum(data) % 256))
            return self._packet()
        except ConnectionError:  # QEMU has ended; its status tells how
            return ""

    def _packet(self) -> str:
        while True:
            start = self._received.find(b"$")
            end = self._received.find(b"#", start + 1)
            if start >= 0 and end >= 0 and len(self._received) >= end + 3:
                packet = bytes(self._received[start + 1 : end])
                del self._received[: end + 3]
                self._socket.sendall(b"+")
                return packet.decode("ascii", "replace")
            self._socket.settimeout(max(self._deadline - time.monotonic(), 0.001))
            received = self._socket.recv(65536)
            if not received:
                return ""
            self._received += received

    def memory(self, address: int, count: int) -> bytes:
        """So many bytes from an address on."""
        found = bytearray()
        while len(found) < count:
            size = min(count - len(found), _MOST_BYTES)
            try:
                data = bytes.fromhex(self.ask(f"m{address + len(found):x},{size:x}"))
            except ValueError:
                data = b""
            if len(data) != size:
                raise _ProtocolError(f"no memory at {address + len(found):#x}")
            found += data
        return bytes(found)

    def register(self, number: int) -> int:
        """The value of a register, by its place among all of 32 bits; little-endian."""
        digits = self.ask("g")[8 * number : 8 * number + 8]
        try:
            return int.from_bytes(bytes.fromhex(digits), "little")
        except ValueError as error:
            raise _ProtocolError("no program counter") from error


@contextmanager
def _connected(server: Path, process: subprocess.Popen[bytes], deadline: float) -> Iterator[_Stub]:
    """A connection, as soon as QEMU accepts one."""
    until = min(deadline, time.monotonic() + _CONNECT_S)
    with socket.socket(socket.AF_UNIX) as connection:
        while True:
            try:
                connection.connect(str(server))
                break
            except OSError as error:
                if process.poll() is not None or time.monotonic() > until:
                    raise ConnectionError("it offers no debugger") from error
                time.sleep(0.01)
        yield _Stub(connection, deadline)


def _records(stub: _Stub, watching: Watching, program_counter: int) -> Iterator[bytes]:
    """The records until the machine ends.  After a mark it steps one instruction first: otherwise
    it would stop at the same mark again."""
    recorder = Recorder(watching)
    spots: dict[int, list[int]] = {}
    for address, spot in watching.passes:
        spots.setdefault(address, []).append(spot)
    for address in spots:
        if stub.ask(f"Z0,{address:x},2") != "OK":
            raise _ProtocolError("no breakpoint can be set")
    answer = stub.ask("c")
    while answer[:1] in ("T", "S"):
        address = stub.register(program_counter)
        if address not in spots:
            raise _ProtocolError(f"it stopped at {address:#x}: {answer}")
        for spot in spots[address]:
            place = recorder.passed(spot)
            if place is not None:
                yield record(spot, stub.memory(*place))
        answer = stub.ask("s")
        if answer[:1] not in ("T", "S"):
            break
        if stub.register(program_counter) not in spots:
            answer = stub.ask("c")
