"""Files between a worker and the content-addressed storage."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TypeVar

import grpc
from buildgrid._protos.build.bazel.remote.execution.v2.remote_execution_pb2 import (
    ActionResult,
    Digest,
    Directory,
    DirectoryNode,
    FileNode,
    GetTreeRequest,
    OutputDirectory,
    OutputFile,
    SymlinkNode,
    Tree,
)
from buildgrid._protos.build.bazel.remote.execution.v2.remote_execution_pb2_grpc import (
    ContentAddressableStorageStub,
)
from buildgrid.server.client.cas import Uploader, download, upload
from buildgrid.server.utils.digests import create_digest
from google.protobuf.message import Message

Received = TypeVar("Received", bound=Message)


def fetch_message(channel: grpc.Channel, digest: Digest, message: Received) -> Received:
    """A message, into the empty one that is given."""
    with download(channel) as downloader:
        downloader.get_message(digest, message)
    return message


def fetch_tree(channel: grpc.Channel, digest: Digest, root: Path, *, blobs: Path) -> None:
    """Make the folder `root` of a Directory's digest.

    Its files are links to those in the folder `blobs`, to which what is missing is added: most
    actions of a build have most of their inputs in common.
    """
    request = GetTreeRequest(root_digest=digest)
    directories = {
        create_digest(directory.SerializeToString()).hash: directory
        for response in ContentAddressableStorageStub(channel).GetTree(request)
        for directory in response.directories
    }
    wanted = {
        node.digest.hash: node.digest
        for directory in directories.values()
        for node in directory.files
    }
    with download(channel) as downloader:
        for name in wanted.keys() - {file.name for file in blobs.iterdir()}:
            downloader.download_file(wanted[name], str(blobs / name), is_executable=True)
    _link_tree(directories, digest.hash, root, blobs)


def _link_tree(directories: dict[str, Directory], name: str, folder: Path, blobs: Path) -> None:
    folder.mkdir()
    for file in directories[name].files:
        (folder / file.name).hardlink_to(blobs / file.digest.hash)
    for link in directories[name].symlinks:
        (folder / link.name).symlink_to(link.target)
    for directory in directories[name].directories:
        _link_tree(directories, directory.digest.hash, folder / directory.name, blobs)


def store(
    channel: grpc.Channel,
    folder: Path,
    paths: list[str],
    printed: tuple[Path, Path],
    result: ActionResult,
) -> None:
    """Upload those of `paths` that there are, and what was printed; enters them into `result`."""
    with upload(channel) as uploader:
        for path in paths:
            output = folder / path
            if output.is_dir():
                tree = Tree()
                tree.root.CopyFrom(_directory(uploader, output, tree))
                digest = uploader.put_message(tree, queue=True)
                result.output_directories.append(OutputDirectory(path=path, tree_digest=digest))
            elif output.is_file():
                file = _file(uploader, output)
                result.output_files.append(
                    OutputFile(path=path, digest=file.digest, is_executable=file.is_executable)
                )
        result.stdout_digest.CopyFrom(uploader.upload_file(str(printed[0])))
        result.stderr_digest.CopyFrom(uploader.upload_file(str(printed[1])))


def _file(uploader: Uploader, file: Path) -> FileNode:
    digest = uploader.upload_file(str(file))
    return FileNode(name=file.name, digest=digest, is_executable=os.access(file, os.X_OK))


def _directory(uploader: Uploader, folder: Path, tree: Tree) -> Directory:
    """A folder as a message; those of the folders in it are added to the tree."""
    directory = Directory()
    for entry in sorted(folder.iterdir()):
        if entry.is_symlink():
            directory.symlinks.append(SymlinkNode(name=entry.name, target=str(entry.readlink())))
        elif entry.is_dir():
            child = _directory(uploader, entry, tree)
            tree.children.append(child)
            digest = create_digest(child.SerializeToString())
            directory.directories.append(DirectoryNode(name=entry.name, digest=digest))
        else:
            directory.files.append(_file(uploader, entry))
    return directory
