"""weights=partition with a signature: what no key of the firmware's signed, or is older than it may
be, is not used; and HMAC-SHA256 in C is that of RFC 4231."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from tests.exchange.exchanging import (
    DAMAGED,
    DONE,
    NO_IMAGE,
    NOT_SIGNED,
    OLDER,
    UNKNOWN_KEY,
    answers,
    exchangeable,
    expected,
    other_weights,
)
from tests.exchange.hmac_vectors import RFC_4231
from tests.exchange.test_exchange import SINE_MODEL, inputs_of
from tests.support.combined import SANITIZED, target_or_skip
from tests.support.hand_written import CACHE, interface
from tinyml_rules.cli import main
from tinyml_rules.commands.signing import signed
from tinyml_rules.emit.image import CRC_AT, KEY_AT, with_crc
from tinyml_rules.emit.templates_of import environment
from tinyml_rules.firmware.build import build_image
from tinyml_rules.ir.signing import Signing
from tinyml_rules.request.request import Request
from tinyml_rules.runners import run_image

KEY = bytes(range(7, 39))
KEY_NUMBER = 0x01020304
LEAST_VERSION = 2
VERSION_AT, BODY_AT, HMAC_BYTES = 40, 64, 32
C_KEY = ", ".join(map(str, KEY))
HOOKS = f"""
uint32_t my_least_version(void) {{ return {LEAST_VERSION}; }}
bool my_key(uint32_t number, uint8_t *key)
{{
    static const uint8_t mine[32] = {{ {C_KEY} }};
    for (int i = 0; i < 32; i++) {{
        key[i] = mine[i];
    }}
    return number == {KEY_NUMBER};
}}
"""


def turned(data: bytes, place: int, mask: int = 1) -> bytes:
    """With bits of one byte turned over."""
    return data[:place] + bytes([data[place] ^ mask]) + data[place + 1 :]


def mended(image: bytes) -> bytes:
    """A forged image with the CRC of what is in it now."""
    return with_crc(image[:-HMAC_BYTES]) + image[-HMAC_BYTES:]


@pytest.fixture
def key(tmp_path: Path) -> Path:
    file = tmp_path / "key"
    file.write_bytes(KEY)
    return file


@pytest.mark.parametrize("part", [SANITIZED, "atmega328", "nrf51"])
def test_only_what_is_signed(part: str, key: Path, tmp_path: Path) -> None:
    """Each cause has a code of its own, and what was in use goes on."""
    target = target_or_skip(part)
    request = Request(SINE_MODEL, "my", target, signature=Signing.HMAC, model_version=LEAST_VERSION)
    other = other_weights(SINE_MODEL, 4)
    one, two, three = (
        exchangeable(replace(request, model=other, model_version=version)).image
        for version in (1, 2, 3)
    )
    of_one, of_two, of_three = (
        signed(each, Signing.HMAC, key, KEY_NUMBER) for each in (one, two, three)
    )
    foreign = tmp_path / "foreign"
    foreign.write_text(bytes(32).hex())
    unsigned = exchangeable(replace(request, signature=Signing.NONE, model_version=9)).image
    end = len(of_three)
    cases = [
        (of_one, OLDER),
        (mended(turned(of_one, VERSION_AT, 8)), NOT_SIGNED),
        (signed(three, Signing.HMAC, foreign, KEY_NUMBER), NOT_SIGNED),
        (signed(three, Signing.HMAC, key, KEY_NUMBER + 1), UNKNOWN_KEY),
        (mended(turned(of_three, KEY_AT)), UNKNOWN_KEY),
        (of_three[:-HMAC_BYTES] + of_two[-HMAC_BYTES:], NOT_SIGNED),
        (turned(of_three, end - 1, 0x80), NOT_SIGNED),
        (turned(of_three, BODY_AT), DAMAGED),
        (mended(turned(of_three, BODY_AT)), NOT_SIGNED),
        (of_three[: end // 2] + bytes(end - end // 2), DAMAGED),
        (of_three[: end - 7] + bytes(7), NOT_SIGNED),
        (unsigned, NO_IMAGE),
    ]
    good = [(of_two, DONE), (of_three, DONE)]
    values = inputs_of(SINE_MODEL, len(cases) + len(good))
    every = cases + good
    asked = list(zip(range(1, len(every) + 1), values, strict=True))
    found = answers(request, [each for each, _ in every], asked, tmp_path, hooks=HOOKS)
    outputs = [*expected(SINE_MODEL, values[: len(cases)]), *expected(other, values[len(cases) :])]
    assert found == [(code, each) for (_, code), each in zip(every, outputs, strict=True)]


CHECKING = """
#include "my.h"
#include "checking.h"
{hooks}
static uint8_t slot[MY_IMAGE_BYTES] __attribute__((aligned(16)));
static int8_t out[2];
int8_t *checking_in(void) {{ return (int8_t *)slot; }}
int8_t *checking_out(void) {{ return out; }}
void checking_invoke(void)
{{
    out[0] = (int8_t)my_check(slot);
    out[1] = (int8_t)my_check(my_image);
}}
"""


def checked(
    request: Request,
    images: list[bytes],
    hooks: str,
    folder: Path,
    *,
    library: Mapping[str, str] | None = None,
) -> list[int]:
    """What `my_check` says of each image; the one that was compiled is always good.  `library`:
    files of C that the hooks need."""
    header = "#include <stdint.h>\nint8_t *checking_in(void);\nint8_t *checking_out(void);\n"
    image = build_image(
        request.target,
        sources={
            **exchangeable(request).files,
            **(library or {}),
            "checking.h": f"{header}void checking_invoke(void);\n",
            "checking.c": CHECKING.format(hooks=hooks),
        },
        interface=interface("checking", {"checking_in": len(images[0])}, {"checking_out": 2}),
        kind="test",
        folder=folder,
    )
    output = run_image(request.target, image, b"".join(images), cache=CACHE).output
    assert set(output[1::2]) == {DONE}
    return list(output[::2])


def test_every_bit(key: Path, tmp_path: Path) -> None:
    """Of an image that is signed, turned over, as an accident and as a forgery with another CRC."""
    request = Request(
        SINE_MODEL, "my", target_or_skip(SANITIZED), signature=Signing.HMAC, model_version=2
    )
    good = signed(exchangeable(request).image, Signing.HMAC, key, KEY_NUMBER)
    places = [(place, 1 << bit) for place in range(len(good)) for bit in range(8)]
    accidents = [turned(good, *each) for each in places]
    forged = [mended(each) for each in accidents]
    codes = checked(request, [good, *accidents, *forged], HOOKS, tmp_path)
    assert codes[0] == DONE
    turned_over, of_forged = codes[1 : len(accidents) + 1], codes[len(accidents) + 1 :]
    assert DONE not in turned_over
    in_crc = [code for code, (place, _) in zip(of_forged, places, strict=True) if code == DONE]
    assert len(in_crc) == 32, "only where the turned bit was one of the CRC, which is mended"
    assert {NOT_SIGNED, UNKNOWN_KEY} <= set(of_forged)
    of_signature = turned_over[-8 * HMAC_BYTES :]
    assert set(of_signature) == {NOT_SIGNED}


def test_ed25519(tmp_path: Path) -> None:
    """The signature is one of the key over all before it; the firmware's function is asked for it,
    with the number of the key, and what it says holds."""
    private = Ed25519PrivateKey.from_private_bytes(KEY)
    key = tmp_path / "key.pem"
    key.write_bytes(private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    request = Request(
        SINE_MODEL, "my", target_or_skip(SANITIZED), signature=Signing.ED25519, model_version=2
    )
    image = exchangeable(request).image
    good = signed(image, Signing.ED25519, key, KEY_NUMBER)
    private.public_key().verify(good[-64:], good[:-64])
    with pytest.raises(InvalidSignature):
        private.public_key().verify(good[-64:], turned(good[:-64], VERSION_AT))
    hooks = f"""
uint32_t my_least_version(void) {{ return 2; }}
bool my_verify(uint32_t number, const void *image, uint32_t bytes, const void *signature)
{{
    static const uint8_t right[64] = {{ {", ".join(map(str, good[-64:]))} }};
    const uint8_t *const its = signature;
    int same = its == (const uint8_t *)image + bytes;
    for (int i = 0; i < 64; i++) {{
        same &= its[i] == right[i];
    }}
    return same && bytes == MY_IMAGE_BYTES - MY_SIGNATURE_BYTES && number == {KEY_NUMBER};
}}
"""
    older = exchangeable(replace(request, model_version=1)).image
    other_key = signed(image, Signing.ED25519, key, KEY_NUMBER + 1)
    images = [good, turned(good, len(good) - 1), other_key, turned(good, BODY_AT)]
    assert checked(request, images, hooks, tmp_path) == [DONE, NOT_SIGNED, NOT_SIGNED, DAMAGED]
    accepting = hooks.replace("same = its ==", "same = 1 || its ==").replace("same &=", "same |=")
    accepting = accepting.replace(f"number == {KEY_NUMBER}", "number")
    aged = signed(older, Signing.ED25519, key, KEY_NUMBER)
    assert checked(request, [good, aged], accepting, tmp_path / "b") == [DONE, OLDER]


HMAC = """
#include "code.h"
#include <stdint.h>
{hmac}
static int8_t in[34 + {most}], out[32];
int8_t *code_in(void) {{ return in; }}
int8_t *code_out(void) {{ return out; }}
void code_invoke(void)
{{
    const uint8_t *const given = (const uint8_t *)in;
    t_hmac(given, given + 34, given[32] | (uint32_t)given[33] << 8, (uint8_t *)out);
}}
"""
MOST = 200


@pytest.mark.parametrize("part", [SANITIZED, "atmega328", "nrf51", "xtensa_lx6"])
def test_hmac(part: str, tmp_path: Path) -> None:
    """The vectors of RFC 4231, and messages that end at each place of a block."""
    target = target_or_skip(part)
    flash = "__memx " if target.architecture == "avr" else ""
    """A pointer to flash or RAM, so that it is the code for AVR."""
    sha256 = environment().get_template("emit/templates/sha256.c.j2")
    text = sha256.render(p="t_", flash=flash)
    header = "#include <stdint.h>\nint8_t *code_in(void);\nint8_t *code_out(void);\n"
    image = build_image(
        target,
        sources={
            "code.h": f"{header}void code_invoke(void);\n",
            "code.c": HMAC.format(hmac=text, most=MOST),
        },
        interface=interface("code", {"code_in": 34 + MOST}, {"code_out": 32}),
        kind="test",
        folder=tmp_path,
    )
    generator = np.random.default_rng(8)
    random = [
        (generator.bytes(32), generator.bytes(count), b"")
        for count in (0, 1, 54, 55, 56, 63, 64, 65, 119, 120, 128, 200)
    ]
    cases = [*RFC_4231, *random]
    keys = [hashlib.sha256(each).digest() if len(each) > 64 else each for each, _, _ in cases]
    data = b"".join(
        key.ljust(32, b"\0") + len(message).to_bytes(2, "little") + message.ljust(MOST, b"\0")
        for key, (_, message, _) in zip(keys, cases, strict=True)
    )
    output = run_image(target, image, data, cache=CACHE).output
    for number, (key, message, code) in enumerate(cases):
        found = output[32 * number : 32 * number + 32]
        assert found.startswith(code) and found == hmac.digest(key, message, "sha256"), number


def test_command(key: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A key where one is asked for, and of the right kind."""
    model = tmp_path / "my.tflite"
    model.write_bytes(SINE_MODEL)
    out = tmp_path / "out.bin"
    words = ["image", str(model), "--target", "host", "--out", str(out)]
    assert main([*words, "--signature", "hmac", "--sign", str(key)]) == 0
    image = out.read_bytes()
    assert image[-32:] == hmac.digest(KEY, image[:-32], "sha256")
    assert image[KEY_AT : KEY_AT + 4] == (1).to_bytes(4, "little")
    capsys.readouterr()
    for more, message in (
        (["--signature", "hmac"], "without a key, which the firmware would not use"),
        (["--sign", str(key)], "signs an image that no firmware asks a signature of"),
        (["--signature", "hmac", "--sign", str(model)], "is no key for HMAC"),
        (["--signature", "ed25519", "--sign", str(key)], "is no private key for Ed25519"),
        (["--signature", "hmac", "--sign", str(key), "--key-number", "-1"], "found '-1'"),
        (["--signature", "hmac", "--sign", str(tmp_path / "none")], "cannot be read"),
    ):
        assert main([*words, *more]) == 2
        assert message in capsys.readouterr().err
    assert out.read_bytes() == image
    plain = Request(SINE_MODEL, "my", target_or_skip("host"), signature=Signing.HMAC)
    assert exchangeable(plain).image[CRC_AT:KEY_AT] != bytes(4)
