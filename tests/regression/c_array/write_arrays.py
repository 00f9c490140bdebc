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
write("lost/kws.cc", "char m[] = {\n", lines_of("%d", 12), f"int m_len = {len(DATA) + 1};\n")
