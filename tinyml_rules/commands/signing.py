"""Signs an image of a model's constants with a key from a file."""

from __future__ import annotations

import hmac
import re
from pathlib import Path

from tinyml_rules.emit.image import with_key
from tinyml_rules.errors import ToolError, UsageError
from tinyml_rules.ir.signing import Signing
from tinyml_rules.system.files import read_file

_KEY_BYTES = 32
"""Of a key for HMAC."""
_HEXADECIMAL = re.compile(rb"\s*([0-9A-Fa-f]{64})\s*")


def signed(image: bytes, signing: Signing, key: Path, number: int) -> bytes:
    """The image with the number of its key in it, and with its signature after it.  Raises
    UsageError for a file that is no such key, ToolError where Ed25519 is not installed."""
    data, image = read_file(key), with_key(image, number)
    if signing is Signing.HMAC:
        return image + hmac.digest(_hmac_key(data, key), image, "sha256")
    return image + _ed25519(data, image, key)


def _hmac_key(data: bytes, key: Path) -> bytes:
    digits = _HEXADECIMAL.fullmatch(data)
    if digits:
        return bytes.fromhex(digits[1].decode())
    if len(data) != _KEY_BYTES:
        what = f"is no key for HMAC, expected {_KEY_BYTES} bytes, or {2 * _KEY_BYTES} hexadecimal "
        raise UsageError.at(str(key), f"{what}digits", hint="`openssl rand 32 > FILE` makes one")
    return data


def _ed25519(data: bytes, image: bytes, key: Path) -> bytes:
    try:
        from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: PLC0415 - if needed
        from cryptography.hazmat.primitives.serialization import (  # noqa: PLC0415 - the same
            load_pem_private_key,
        )
    except ImportError as error:
        hint = "`pip install 'tinyml-rules[sign]'`"
        raise ToolError.at("cryptography", "is not installed, which signs", hint=hint) from error
    what = "is no private key for Ed25519, expected a PEM file without a passphrase"
    hint = "`openssl genpkey -algorithm ed25519 -out FILE` makes one"
    try:
        private = load_pem_private_key(data, password=None)
    except (ValueError, TypeError) as error:
        raise UsageError.at(str(key), what, hint=hint) from error
    if not isinstance(private, ed25519.Ed25519PrivateKey):
        raise UsageError.at(str(key), what, hint=hint)
    return private.sign(image)
