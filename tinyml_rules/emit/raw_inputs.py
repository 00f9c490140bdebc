"""How C reads raw values of a sensor, and what the form that makes values of them has in flash."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tinyml_rules.emit.c_text import array, integer_literal
from tinyml_rules.ir.c_struct import TABLE_TYPES
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.graph import Array
from tinyml_rules.sensor.forms import AffineForm, Flip, Line, Steps, Table
from tinyml_rules.sensor.guess import Guess
from tinyml_rules.sensor.put_raw import PutRaw, Walk
from tinyml_rules.sensor.raw_keys import Aligned, Endianness

_BYTE_BITS, _SHORT_BITS = 8, 16


@dataclass(frozen=True)
class RawWords:
    """What templates/put_raw.c.j2 says of one function.

    `bytes`: which of a word are how far up; then the word goes right by `shift`, or has the
    bits of `mask` alone; `sign` is the bit that says that a number is below 0.
    """

    put: PutRaw
    address: str
    """Where the values of the tensor go, or those of a row."""
    constants: tuple[str, ...]
    of_channel: tuple[str, ...]
    """Declarations in front of the loop over a channel."""
    is_avr: bool

    @property
    def symbol(self) -> str:
        return self.put.port.function

    @property
    def form(self) -> AffineForm:
        return self.put.form

    @property
    def kind(self) -> str:
        return self.put.form.kind

    @property
    def walk(self) -> Walk:
        return self.put.walk

    @property
    def counter(self) -> str:
        """The narrowest type that counts the samples."""
        samples = self.put.walk.samples
        return next(f"uint{bits}_t" for bits in (8, 16, 32) if samples < 2**bits)

    @property
    def limits(self) -> tuple[int, int]:
        return self.put.limits

    @property
    def value_type(self) -> str:
        return self.put.value_type

    @property
    def offset_bytes(self) -> int:
        return self.put.described.offset_bytes

    @property
    def what(self) -> str:
        """For a comment."""
        described, unit = self.put.described, self.put.unit
        if unit is not None:
            return f"One of the {unit.values} values that {unit.bytes} bytes become."
        sign = "" if described.is_signed else "u"
        where = f"in {described.storage_bytes} bytes, {described.endianness}-endian"
        side = f", {described.aligned} aligned" if self.shift or self.mask else ""
        return f"A raw value: {sign}int{described.bits} {where}{side}."

    @property
    def word_type(self) -> str:
        bits = self.put.described.storage_bits
        return f"uint{8 if bits <= _BYTE_BITS else 16 if bits <= _SHORT_BITS else 32}_t"

    @property
    def bytes(self) -> list[tuple[int, int]]:
        count = self.put.described.storage_bytes
        is_big = self.put.described.endianness is Endianness.BIG and self.put.unit is None
        return [(count - 1 - each if is_big else each, 8 * each) for each in range(count)]

    @property
    def shift(self) -> int:
        described = self.put.described
        is_moved = described.aligned is Aligned.LEFT and self.unit == 1
        return described.storage_bits - described.bits if is_moved else 0

    @property
    def unit(self) -> int:
        """Of the lowest bit of a raw value in the number that is read."""
        return self.form.unit if isinstance(self.form, Line) else 1

    @property
    def mask(self) -> str:
        described = self.put.described
        is_part = described.bits < described.storage_bits and not self.shift
        return f"{(2**described.bits - 1) * self.unit:#x}u" + self._long if is_part else ""

    @property
    def _long(self) -> str:
        return "l" if self.put.described.bits > _SHORT_BITS else ""

    @property
    def is_pattern(self) -> bool:
        """The bits are taken as they are, and not as a number with a sign."""
        return isinstance(self.form, (Flip, Table))

    @property
    def sign(self) -> str:
        described = self.put.described
        is_whole = described.bits == self._type_bits or self.unit > 1
        # a conversion is enough where a type is as wide
        if not self.raw_is_signed or is_whole or self.is_arithmetic:
            return ""
        return f"{2 ** (described.bits - 1):#x}u{self._long}"

    @property
    def raw_is_signed(self) -> bool:
        return self.put.described.is_signed and not self.is_pattern

    @property
    def is_arithmetic(self) -> bool:
        """The shift to the right brings the sign along: the word is as wide as a type."""
        return self.raw_is_signed and self.put.described.storage_bits != 24 and self.shift > 0

    @property
    def raw_type(self) -> str:
        return f"{'' if self.raw_is_signed else 'u'}int{self._type_bits}_t"

    @property
    def _type_bits(self) -> int:
        """A product's factors have 16 at least."""
        return max(self.put.raw_bits, _SHORT_BITS if isinstance(self.form, Line) else _BYTE_BITS)

    @property
    def line(self) -> Line | Guess | None:
        """The line of the form, or the one that says which step to look at."""
        if isinstance(self.form, Steps):
            return self.form.guess
        return self.form if isinstance(self.form, Line) else None

    @property
    def line_type(self) -> str:
        """What the line takes: of a longer word the upper 16 bits."""
        if isinstance(self.form, Steps):
            return f"{'' if self.raw_is_signed else 'u'}int16_t"
        return self.raw_type

    @property
    def is_assembly(self) -> bool:
        """Lines on AVR: raw values of 16 bits, multipliers of 24, results of int8."""
        line = self.line
        if not self.is_avr or line is None:
            return False
        if isinstance(line, Line) and (
            self.put.raw_bits > _SHORT_BITS or self.value_type != "int8_t"
        ):
            return False
        return 16 <= line.shift <= 24 and all(
            abs(each.multiplier) < 2**23 for each in line.coefficients
        )

    @property
    def registers(self) -> str:
        """In which of AVR's pointers the addresses are, where GCC would not find it."""
        if self.put.unit is not None or isinstance(self.form, Steps):
            return ""
        if self.is_assembly:
            return '"+z"(from), "+x"(to)'
        is_hard = self.is_avr and isinstance(self.form, Table) and self.walk.channels > 1
        return '"+x"(from), "+y"(to)' if is_hard else ""

    @property
    def count_type(self) -> str:
        assert isinstance(self.form, Steps)
        return _count_type(self.form)

    @property
    def sign_of_step(self) -> str:
        assert isinstance(self.form, Steps)
        signs = set(self.form.sign)
        return "+ sign *" if len(signs) > 1 else "-" if signs == {-1} else "+"


def raw_words(
    put: PutRaw, address: str, *, flash: str, table: str, features: frozenset[Feature]
) -> RawWords:
    """`flash` and `table` qualify pointers to constants, and tables of them."""
    constants, pointers, numbers = _constants(put, flash)
    name = put.port.function
    texts = [array(f"{name}_{each}", values, space=table) for each, values in constants.items()]
    if put.maps == 1:
        lines = [
            f"const {_c_type(values)} {each} = {integer_literal(int(values[0]))};"
            for each, values in numbers.items()
        ]
    else:
        texts += [array(f"{name}_{each}", values, space=table) for each, values in numbers.items()]
        lines = [
            f"const {_c_type(values)} {each} = {name}_{each}[channel];"
            for each, values in numbers.items()
        ]
    return RawWords(put, address, tuple(texts), (*pointers, *lines), Feature.AVR in features)


def _constants(put: PutRaw, flash: str) -> tuple[dict[str, Array], list[str], dict[str, Array]]:
    """By name the tables, the declarations of pointers into them, and by name the numbers of each
    map."""
    form, name = put.form, put.port.function
    if isinstance(form, Flip):
        return {}, [], {}
    if isinstance(form, Line):
        return {}, [], _of_line(form)
    if isinstance(form, Table):
        entries = form.entries.astype(put.value_type.removesuffix("_t"))
        more = f" + channel * {entries.shape[1]}" if put.maps > 1 else ""
        pointer = f"const {put.value_type} {flash}*table = {name}_tables{more};"
        return {"tables": entries}, [pointer], {}
    return _of_steps(put, form, flash)


def _of_line(line: Line | Guess) -> dict[str, Array]:
    kind = np.int16 if line.has_short_multipliers else np.int32
    return {
        "multiplier": np.array([each.multiplier for each in line.coefficients], kind),
        "offset": np.array([each.offset for each in line.coefficients], np.int32),
    }


def _of_steps(
    put: PutRaw, form: Steps, flash: str
) -> tuple[dict[str, Array], list[str], dict[str, Array]]:
    """The ends of each map, one map after the other."""
    kind = f"{'' if put.described.is_signed else 'u'}int{put.raw_bits}"
    counts = np.array([each.size for each in form.ends])
    begins = np.cumsum(counts) - counts
    tables = {"ends": np.concatenate(form.ends).astype(kind)}
    more = ""
    if put.maps > 1:
        tables["begins"] = begins.astype(np.uint16 if begins[-1] < 2**_SHORT_BITS else np.uint32)
        more = f" + {put.port.function}_begins[channel]"
    numbers: dict[str, Array] = {
        "count": counts.astype(_count_type(form).removesuffix("_t")),
        "first": np.array(form.first, np.int16),
    }
    if form.guess is not None:
        numbers |= _of_line(form.guess)
    if len(set(form.sign)) > 1:
        numbers["sign"] = np.array(form.sign, np.int8)
    return tables, [f"const {kind}_t {flash}*const ends = {put.port.function}_ends{more};"], numbers


def _count_type(form: Steps) -> str:
    return "uint8_t" if max(each.size for each in form.ends) < 2**_BYTE_BITS else "uint16_t"


def _c_type(values: Array) -> str:
    return TABLE_TYPES[str(values.dtype)]
