"""A signed model is accepted on parts by a library for Ed25519 that the firmware brings: that of
Orson Peters, whose C is in a wheel, and Monocypher on AVR."""

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

from tests.conftest import PROJECT
from tests.exchange import monocypher
from tests.exchange.exchanging import (
    DAMAGED,
    DONE,
    KEEP,
    NOT_SIGNED,
    OLDER,
    exchangeable,
    expected,
    program,
    told,
)
from tests.exchange.test_exchange import SINE_MODEL, inputs_of
from tests.exchange.test_signed import BODY_AT, KEY, KEY_NUMBER, checked, turned
from tests.support.combined import target_or_skip
from tinyml_rules.commands.signing import signed
from tinyml_rules.emit.image import with_crc
from tinyml_rules.firmware.measure import measure_image
from tinyml_rules.ir.signing import Signing
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import Target

LIBRARY = ("verify.c", "ge.c", "fe.c", "sc.c", "sha512.c")
HEADERS = ("ed25519.h", "ge.h", "fe.h", "sc.h", "sha512.h", "fixedint.h", "precomp_data.h")
SIGNATURE_BYTES = 64
PRIVATE = tuple(Ed25519PrivateKey.from_private_bytes(each) for each in (KEY, KEY[::-1]))
"""The firmware's and another."""
HOOKS = """
#include "ed25519.h"
uint32_t my_least_version(void) {{ return 2; }}
bool my_verify(uint32_t number, const void *image, uint32_t bytes, const void *signature)
{{
    static const uint8_t key[32] = {{ {key} }};
    return number == {number} && ed25519_verify(signature, image, bytes, key);
}}
"""
FROM_FLASH = """
#include "monocypher.h"
#include "sha512.h"
uint32_t my_least_version(void) {{ return 2; }}
bool my_verify(uint32_t number, const FLASH void *image, uint32_t bytes,
    const FLASH void *signature)
{{
    static const uint8_t key[32] = {{ {key} }};
    const FLASH uint8_t *from = image;
    const FLASH uint8_t *end = from + bytes;
    uint8_t its[64], hash[64], part[32];
    sha512_context context;

    for (uint8_t i = 0; i < sizeof its; i++) {{
        its[i] = ((const FLASH uint8_t *)signature)[i];
    }}
    sha512_init(&context);
    sha512_update(&context, its, 32);
    sha512_update(&context, key, sizeof key);
    while (from != end) {{
        uint8_t count = 0;
        while (count < sizeof part && from != end) {{
            part[count++] = *from++;
        }}
        sha512_update(&context, part, count);
    }}
    sha512_final(&context, hash);
    crypto_eddsa_reduce(hash, hash);
    return number == {number} && crypto_eddsa_check_equation(its, key, hash) == 0;
}}
"""
"""A function for images in a flash that a library cannot read: they are hashed in parts."""
PAGE = PROJECT / "docs" / "how-to" / "signed_images.md"


def request_of(target: Target, version: int) -> Request:
    return Request(SINE_MODEL, "my", target, signature=Signing.ED25519, model_version=version)


def cases_of(target: Target, folder: Path) -> list[tuple[bytes, int]]:
    """Images of the firmware of version 2 with what is to be said of them: what the key signed is
    used; another key, other bytes and another image's signature are not, whatever the CRC says, nor
    is an older version that is rightly signed."""
    keys = []
    for number, each in enumerate(PRIVATE):
        keys.append(folder / f"{number}.pem")
        pem = each.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        keys[-1].write_bytes(pem)
    one, two, three = (exchangeable(request_of(target, each)).image for each in (1, 2, 3))
    good, newer = (signed(each, Signing.ED25519, keys[0], KEY_NUMBER) for each in (two, three))
    end = len(good) - SIGNATURE_BYTES
    forged = with_crc(turned(good, BODY_AT)[:end]) + good[end:]
    return [
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
    ]


def hooks_of(text: str) -> str:
    """With the public key."""
    public = PRIVATE[0].public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    return text.format(key=", ".join(map(str, public)), number=KEY_NUMBER)


@pytest.mark.parametrize("part", ["nrf51", "nrf52840"])
def test_a_library(part: str, tmp_path: Path) -> None:
    """That of Orson Peters."""
    target = target_or_skip(part)
    source = files("ed25519_orlp") / "csrc"
    library = {name: (source / name).read_text("utf-8") for name in HEADERS}
    for name in LIBRARY:
        text = (source / name).read_text("utf-8")
        library[f"{name}.h"] = f"#pragma GCC system_header /* its warnings are not ours */\n{text}"
        library[name] = f'#include "{name}.h"\n'
    cases = cases_of(target, tmp_path)
    images = [each for each, _ in cases]
    codes = checked(request_of(target, 2), images, hooks_of(HOOKS), tmp_path, library=library)
    assert codes == [code for _, code in cases]


def test_a_library_on_avr(tmp_path: Path) -> None:
    """Monocypher, which is right where `int` has 16 bits; and the figures of the page."""
    target = target_or_skip("atmega1284p")
    cases, request = cases_of(target, tmp_path), request_of(target, 2)
    images, hooks = [each for each, _ in cases], hooks_of(FROM_FLASH)
    image = program(request, images, tmp_path, hooks=hooks, library=monocypher.library())
    numbers = (KEEP, *range(1, len(cases) + 1))
    asked = list(zip(numbers, inputs_of(SINE_MODEL, len(numbers)), strict=True))
    found, result = told(request, image, asked)
    assert [code for code, _ in found] == [DONE, *(code for _, code in cases)]
    assert [made for _, made in found] == expected(SINE_MODEL, [values for _, values in asked])
    assert result.stack_bytes == measure_image(target, image).invoke_stack_bytes
    cycles = result.counts[1] - result.counts[0]
    page = PAGE.read_text(encoding="utf-8")
    assert f"{cycles:,} cycles" in page
    assert f"{result.stack_bytes:,} bytes of stack" in page
