#!/usr/bin/env python3
"""A worker of a BuildGrid: takes one action at a time, runs it, hands back what it made.

    worker.py 127.0.0.1:8980 --image debian-12

A computer runs one for each processor that it gives.  What the actions call by its path, compilers
and emulators, is installed on it, and `image` names that set of tools.  A worker may be stopped at
any time: what it was running goes to another one, a minute later.
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import sys
import tempfile
from pathlib import Path

import grpc
from action import execute
from buildgrid._protos.build.bazel.remote.execution.v2.remote_execution_pb2 import Action
from buildgrid._protos.google.devtools.remoteworkers.v1test2.bots_pb2 import (
    BotSession,
    BotStatus,
    CreateBotSessionRequest,
    Lease,
    LeaseState,
    UpdateBotSessionRequest,
)
from buildgrid._protos.google.devtools.remoteworkers.v1test2.bots_pb2_grpc import BotsStub
from buildgrid._protos.google.devtools.remoteworkers.v1test2.worker_pb2 import Device, Worker
from buildgrid._protos.google.rpc import code_pb2
from buildgrid.server.exceptions import BgdError

POLL_S = 30.0
"""How long one request waits for work."""
MOST_BYTES = 16 << 20
"""Of one message: BuildGrid fills its batches to gRPC's default limit and adds the digests."""

NOT_THE_ACTIONS_FAULT = (BgdError, grpc.RpcError, OSError)
"""Another worker may try."""


class Bot:
    """A session with the server, in which at most one lease is under way."""

    def __init__(self, channel: grpc.Channel, device: Device) -> None:
        """Open the session, as soon as the server is there."""
        self._channel = channel
        self._stub = BotsStub(channel)
        self._session = self._stub.CreateBotSession(
            CreateBotSessionRequest(
                bot_session=BotSession(
                    bot_id=device.handle,
                    status=BotStatus.Value("OK"),
                    worker=Worker(devices=[device]),
                )
            ),
            timeout=POLL_S,
            wait_for_ready=True,
        )

    def serve(self, blobs: Path) -> None:
        """Work until the server is gone; `blobs` is a folder for the inputs that it has fetched."""
        while True:
            for lease in self._session.leases:
                self._work(lease, blobs)
            self._update()

    def _update(self) -> None:
        """Tell how the lease stands and learn of another; waits a while where there is neither."""
        request = UpdateBotSessionRequest(name=self._session.name, bot_session=self._session)
        self._session = self._stub.UpdateBotSession(request, timeout=POLL_S)

    def _is_wanted(self, lease: Lease) -> bool:
        """Whether anybody still waits for the lease; the server learns that the worker lives."""
        self._update()
        return any(each.id == lease.id for each in self._session.leases)

    def _work(self, lease: Lease, blobs: Path) -> None:
        """Run the action of a lease; the next update hands over what came of it."""
        action = Action()
        lease.payload.Unpack(action)
        try:
            result, lease.status.code = execute(
                self._channel, action, blobs=blobs, is_wanted=lambda: self._is_wanted(lease)
            )
            lease.result.Pack(result)
        except NOT_THE_ACTIONS_FAULT as error:
            lease.status.code, lease.status.message = code_pb2.UNAVAILABLE, str(error)
        lease.state = LeaseState.Value("COMPLETED")
        del self._session.leases[:]
        self._session.leases.append(lease)


def main() -> None:
    """Read the command line and serve."""
    parser = argparse.ArgumentParser(description="Run the actions of a BuildGrid.")
    parser.add_argument("server", metavar="HOST:PORT")
    parser.add_argument("--image", required=True, help="takes the actions that ask for this one")
    options = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit())
    image = Device.Property(key="image", value=options.image)
    device = Device(handle=f"{socket.gethostname()}-{os.getpid()}", properties=[image])
    limit = ("grpc.max_receive_message_length", MOST_BYTES)
    with (
        tempfile.TemporaryDirectory() as folder,
        grpc.insecure_channel(options.server, options=[limit]) as channel,
    ):
        Bot(channel, device).serve(Path(folder))


if __name__ == "__main__":
    main()
