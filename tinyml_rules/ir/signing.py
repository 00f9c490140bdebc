"""By what an image of a model's constants is signed."""

from __future__ import annotations

from enum import StrEnum


class Signing(StrEnum):
    """The ways to sign."""

    NONE = "none"
    HMAC = "hmac"
    ED25519 = "ed25519"

    @property
    def size_bytes(self) -> int:
        """Of a signature; 0 without one."""
        return {Signing.NONE: 0, Signing.HMAC: 32, Signing.ED25519: 64}[self]
