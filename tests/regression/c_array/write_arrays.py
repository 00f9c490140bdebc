"""kws.tflite as C arrays: as `xxd -i` writes it, and in the forms that firmwares with TFLM have."""

from __future__ import annotations

from pathlib import Path

DATA = Path("kws.tflite").read_bytes()


def write(file: str, before: str, lines: str, after: str = "") -> None:
    """One file, its folder made."""
    Path(file).parent.mkdir(exist_ok=True)
    Path(file).write_text(f"{before}{lines}\n}};\n{after}", encoding="utf-8")


def lines_of(form: str, a_line: int, comma: str = ",") -> str:
    """The numbers, so many a line."""
    rows = (DATA[place : place + a_line] for place in range(0, len(DATA), a_line))
    return ",\n".join("  " + f"{comma} ".join(form % each for each in row) for row in rows)


write(
    "xxd/kws.cc",
    "unsigned char kws_tflite[] = {\n",
    lines_of("0x%02x", 12),
    f"unsigned int kws_tflite_len = {len(DATA)};\n",
)
write(
    "tflm/kws.cpp",
    '// Copyright, with { 1, 2 } and g_a[] = {3};\n#include "kws.h"\n\n'
    "alignas(16) const unsigned char g_kws_model[] = {\n",
    lines_of("0x%X", 16) + ",",
    f'const int g_kws_model_len = {len(DATA)};\nconst char* kLabels[] = {{"yes", "no"}};\n',
)
write(
    "decimal/kws.c",
    "#include <stdint.h>\n/* a model\n * of 2 lines */\n"
    f"const uint8_t model[{len(DATA)}] __attribute__((aligned(16))) = {{",
    lines_of("/* byte */ %d", 20).replace(" 0,", " 0u,"),
)
write("octal/kws.h", "static const uint8_t model[]PROGMEM={", lines_of("0%o", 50000))
write(
    "edge_impulse/kws.h",
    "#define ALIGN(X) __attribute__((aligned(X)))\n"
    'const char* ei_classifier_labels[] = {"no", "yes"};\nconst int sizes[] = {1, 2};\n'
    "const unsigned char tflite_learn_5[] ALIGN(16) = {\n",
    lines_of("0x%02x", 16),
    f"const size_t tflite_learn_5_len = {len(DATA)};\n",
)
write(
    "arduino/kws.ino",
    "#ifdef __has_attribute\n#define HAVE_ATTRIBUTE(x) __has_attribute(x)\n#else\n"
    "#define HAVE_ATTRIBUTE(x) 0\n#endif\n"
    "const unsigned char model[] DATA_ALIGN_ATTRIBUTE = {\n",
    lines_of("(byte)0x%02X", 16),
    f"const int model_len = {len(DATA)};\nvoid setup() {{\n  Serial.begin(9600);\n}}\n",
)
write("std_array/kws.hpp", "constexpr std::array<uint8_t, N> kModel{{", lines_of("%d", 9), "};")
write("braces/kws.hh", "alignas(16) constexpr uint8_t kModel[]{", lines_of("%d", 9))


def written(file: str, before: str, pieces: list[str], between: str, after: str) -> None:
    """One file, a piece for each byte."""
    Path(file).parent.mkdir(exist_ok=True)
    Path(file).write_text(f"{before}{between.join(pieces)}{after}", encoding="utf-8")


SIGNED = [str(byte - 256 if byte > 127 else byte) for byte in DATA]
PLAIN = [32 <= byte < 127 and chr(byte) not in "\"'\\" for byte in DATA]
LETTERS = [
    f"'{chr(b)}'" if plain else f"'\\x{b:02x}'" for b, plain in zip(DATA, PLAIN, strict=True)
]
TEXT = [chr(b) if plain else f"\\{b:03o}" for b, plain in zip(DATA, PLAIN, strict=True)]
HALF = len(TEXT) // 2
written("signed/kws.c", "const signed char m[] = {", SIGNED, ", ", "};\n")
written("letters/kws.c", "const char m[] = {", LETTERS, ", ", "};\n")
written(
    "text/kws.c",
    'const char *name = "kws // {";\nconst unsigned char m[] =\n  "',
    [*TEXT[:HALF], '"\n  "', *TEXT[HALF:]],
    "",
    '";\n',
)
write("lost/kws.cc", "char m[] = {\n", lines_of("%d", 12), f"int m_len = {len(DATA) + 1};\n")
