"""Has a warm Python (`warm_python.py`) run a module with this process's files, folder and
environment, as `python -m` does.  A script that imports little, for it starts once a command.

python -I -S warm_ask.py SOCKET MODULE WORD ..
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from collections.abc import Mapping, Sequence


def ask(
    place: str,
    module: str,
    arguments: Sequence[str],
    *,
    folder: str,
    environment: Mapping[str, str],
    files: Sequence[int],
) -> int:
    """The exit status, as of `subprocess`; the files are those of standard input and the others."""
    request = [module, list(arguments), folder, dict(environment)]
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(place)
        socket.send_fds(connection, [b"?"], files)
        connection.sendall(json.dumps(request).encode())
        connection.shutdown(socket.SHUT_WR)
        return int(connection.recv(16))


if __name__ == "__main__":
    status = ask(
        *(sys.argv[1], sys.argv[2], sys.argv[3:]),
        folder=os.getcwd(),  # noqa: PTH109 - pathlib takes long to import
        environment=os.environ,
        files=(0, 1, 2),
    )
    if status < 0:
        signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    sys.exit(status)
