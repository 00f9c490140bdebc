"""C arrays that are no model."""

from __future__ import annotations


def files() -> dict[str, bytes]:
    """By name."""
    return {
        "two.cc": b"char a[] = {1};\n#ifdef X\nchar b[] = {2};\n#else\nchar b[] = {3};\n#endif\n",
        "many.cc": b"".join(b"char a%d[] = {1};\n" % number for number in range(100_000)),
        "beyond.cc": b"int a[] = {28, 0, 256};\n",
        "negative.cc": b"int8_t a[] = {28, -129};\n",
        "long.cc": b"char a[] = {" + b"1" * 5000 + b"};\n",
        "missing.cc": b"char a[] = {0x1c 0x00};\n",
        "octal.cc": b"char a[] = {09};\n",
        "gap.cc": b"char a[] = {1,,2};\n",
        "nested.cc": b"char a[] = {1, {2, 3}};\n",
        "cut.cc": b"unsigned char a[] = {\n  0x1c, 0x00,\n",
        "no_model.cc": b"char a[] = {1, 2, 3, 4, 5, 6, 7, 8};\n",
        "models.cc": b"char a[] = {28, 0, 0, 0, 84, 70, 76, 51};\n"
        b"char b[] = {28, 0, 0, 0, 'T', 'F', 'L', '3'};",
        "words.c": b"const ai_u64 s_network_weights_array_u64[1] = {0x3d9e4a213d9e4a21U};\n",
        "embeds.c": b'const unsigned char m[] = {\n#embed "{kws}.tflite"\n};\n',
        "other.h": b"extern const unsigned char g_model[];\n",
        "comments.cc": b"/*" * 1_000_000,
        "letters.h": b"a" * 1_000_000,
    }
