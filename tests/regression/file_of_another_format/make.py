"""Files that are named in place of a .tflite file, as short as they are known by."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile


def files() -> dict[str, bytes]:
    """By name."""
    node = message((1, b"x"), (2, b"Placeholder"))
    return {
        "empty.tflite": b"",
        "net.h5": b"\x89HDF\r\n\x1a\n" + bytes(88),
        "net.keras": archive("metadata.json", "config.json", "model.weights.h5"),
        "net.pt": archive("net/data.pkl", "net/byteorder", "net/data/0"),
        "old.pth": b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.",
        "net.pkl": b"\x80\x04K\x01.",
        "net.zip": archive("net.tflite"),
        "cut.zip": archive("net.tflite")[:40],
        "net.onnx": message((1, 9), (2, b"pytorch"), (7, b"\x12\x04main"), (8, b"\x10\x11")),
        "renamed.tflite": message((1, 9), (2, b"pytorch"), (7, b"\x12\x04main"), (8, b"\x10\x11")),
        "cut.onnx": message((1, 9), (2, b"pytorch"), (7, b"\x12\x04main"))[:-2],
        "saved_model.pb": message((1, 1), (2, b"\x0a\x05serve")),
        "frozen.pb": message((1, node), (1, node), (4, b"\x08\x02")),
        "net.tflite.gz": b"\x1f\x8b\x08\0" + bytes(20),
        "lfs.tflite": b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 53936\n",
        "hub.tar.gz": gzip.compress(tar("./saved_model.pb"), mtime=0),
        "net.pt2": archive("net/archive_format", "net/models/model.json", "net/data/weights/w"),
        "script.pt": archive("s/data.pkl", "s/code/__torch__.py", "s/constants.pkl"),
        "net.pte": b"\x1c\0\0\0ET12" + bytes(20),
        "net.npz": archive("x.npy", "y.npy"),
        "net.npy": b"\x93NUMPY\x01\0" + bytes(20),
        "impulse.zip": archive("edge-impulse-sdk/README.md", "tflite-model/tflite_learn_5.h"),
        "net.mlmodel": b"\x08\x05\x12\x02\x0a\0\xa2\x1f\x02\x0a\0",  # field 500
        "net.safetensors": (12).to_bytes(8, "little") + b'{"w": {}}   ' + bytes(4),
        "net.gguf": b"GGUF\x03\0\0\0" + bytes(20),
        "model.json": b'{"format": "layers-model", "modelTopology": {}}',
        "page.tflite": b"\xef\xbb\xbf\n\n<!DOCTYPE html>\n<html lang='en'>\n",
        "page2.tflite": b"<html><head>g_model[] = {0x1c};</head></html>",
        "net.h": b"extern const unsigned char g_model[];\nextern const int g_model_len;\n",
        "h5.cc": b"const unsigned char h5[] = {" + numbers(b"\x89HDF\r\n\x1a\n") + b"};",
        "words.tflite": b"this is no model\n",
        "varint.tflite": b"\x80" * 100_000,
    }


def message(*fields: tuple[int, int | bytes]) -> bytes:
    """A protobuf message of short fields."""
    data = b""
    for number, value in fields:
        is_number = isinstance(value, int)
        data += bytes([number << 3 | (0 if is_number else 2)])
        data += bytes([value]) if isinstance(value, int) else bytes([len(value)]) + value
    return data


def archive(*names: str) -> bytes:
    """A zip archive of files that are empty."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as made:
        for name in names:
            made.writestr(zipfile.ZipInfo(name), b"")
    return data.getvalue()


def tar(*names: str) -> bytes:
    """An archive of files that are empty."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as made:
        for name in names:
            made.addfile(tarfile.TarInfo(name))
    return data.getvalue()


def numbers(data: bytes) -> bytes:
    """As they are in a C array."""
    return b", ".join(b"0x%02x" % each for each in data)
