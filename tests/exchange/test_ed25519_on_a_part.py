"""A signed model is accepted on parts by a library for Ed25519 that the firmware brings: that of
Orson Peters, whose C is in a wheel."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from tests.exchange.exchanging import DAMAGED, DONE, NOT_SIGNED, OLDER, exchangeable
from tests.exchange.test_exchange import SINE_MODEL
from tests.exchange.test_signed import BODY_AT, KEY, KEY_NUMBER, checked, turned
from tests.support.combined import target_or_skip
from tinyml_rules.commands.signing import signed
from tinyml_rules.emit.image import with_crc
from tinyml_rules.ir.signing import Signing
from tinyml_rules.request.request import Request

LIBRARY = ("verify.c", "ge.c", "fe.c", "sc.c", "sha512.c")
HEADERS = ("ed25519.h", "ge.h", "fe.h", "sc.h", "sha512.h", "fixedint.h", "precomp_data.h")
SIGNATURE_BYTES = 64
HOOKS = """
#include "ed25519.h"
uint32_t my_least_version(void) {{ return 2; }}
bool my_verify(uint32_t number, const void *image, uint32_t bytes, const void *signature)
{{
    static const uint8_t key[32] = {{ {key} }};
    return number == {number} && ed25519_verify(signature, image, bytes, key);
}}
"""


@pytest.mark.parametrize("part", ["nrf51", "nrf52840"])
def test_a_library(part: str, tmp_path: Path) -> None:
    """What the key signed is used; another key, other bytes and another image's signature are not,
    whatever the CRC says, nor is an older version that is rightly signed."""
    target = target_or_skip(part)
    source = files("ed25519_orlp") / "csrc"
    library = {name: (source / name).read_text("utf-8") for name in HEADERS}
    for name in LIBRARY:
        text = (source / name).read_text("utf-8")
        library[f"{name}.h"] = f"#pragma GCC system_header /* its warnings are not ours */\n{text}"
        library[name] = f'#include "{name}.h"\n'
    private, other = (Ed25519PrivateKey.from_private_bytes(each) for each in (KEY, KEY[::-1]))
    keys = []
    for number, each in enumerate((private, other)):
        keys.append(tmp_path / f"{number}.pem")
        pem = each.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        keys[-1].write_bytes(pem)
    public = private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    hooks = HOOKS.format(key=", ".join(map(str, public)), number=KEY_NUMBER)

    def request(version: int) -> Request:
        return Request(SINE_MODEL, "my", target, signature=Signing.ED25519, model_version=version)

    one, two, three = (exchangeable(request(version)).image for version in (1, 2, 3))
    good, newer = (signed(each, Signing.ED25519, keys[0], KEY_NUMBER) for each in (two, three))
    end = len(good) - SIGNATURE_BYTES
    forged = with_crc(turned(good, BODY_AT)[:end]) + good[end:]
    cases = (
        (good, DONE),
        (newer, DONE),
        (turned(good, len(good) - 1), NOT_SIGNED),
        (turned(good, end), NOT_SIGNED),
        (forged, NOT_SIGNED),
        (good[:end] + newer[end:], NOT_SIGNED),
        (signed(two, Signing.ED25519, keys[1], KEY_NUMBER), NOT_SIGNED),
        (signed(two, Signing.ED25519, keys[0], KEY_NUMBER + 1), NOT_SIGNED),
        (turned(good, BODY_AT), DAMAGED),
        (signed(one, Signing.ED25519, keys[0], KEY_NUMBER), OLDER),
    )
    codes = checked(request(2), [each for each, _ in cases], hooks, tmp_path, library=library)
    assert codes == [code for _, code in cases]
