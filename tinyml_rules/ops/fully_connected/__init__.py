"""FULLY_CONNECTED: every output is a weighted sum of a whole input vector."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ops._shared.accumulate import weighted_macs
from tinyml_rules.ops._shared.computed_weights import Computed
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops._shared.quantization import Weights, weighted
from tinyml_rules.ops._shared.real_weights import takes_real_weights
from tinyml_rules.ops.fully_connected import (
    centred,
    float32,
    groups,
    nearest,
    offset_pairs,
    packed,
    unsigned_fours,
    unsigned_pairs,
)
from tinyml_rules.ops.fully_connected.channels import channels, interval
from tinyml_rules.ops.fully_connected.op import (
    OPERANDS,
    Attrs,
    Params,
    check,
    check_options,
    check_vectors,
    prepare,
)
from tinyml_rules.ops.fully_connected.oracle import oracle, oracle_of_litert, oracle_of_real
from tinyml_rules.ops.fully_connected.paged import pack
from tinyml_rules.ops.fully_connected.pairs import pair_kernels
from tinyml_rules.ops.fully_connected.variants import Nibbles, Scales
from tinyml_rules.ops.fully_connected.vectors import VECTORS

_WORTH_FOUR = 32
"""Inputs of a vector: measured on Cortex-M0 and M4 with the sine's layers of 1 and 16."""

_KERNELS = Path(__file__).parent / "kernels"
_RUNTIME = ("dot_product", "requantize")
_NIBBLES = ("nibble_dot_product", "requantize")
_PAGED_RUNTIME = ("page_dot_product", "page_int8", "page_int32", "requantize")


def _kernel(name: str, variant: Nibbles, runtime: tuple[str, ...] = _RUNTIME) -> Kernel:
    """The kernel for one vector after the other, and the same in pieces."""
    in_rows = Kernel(
        name=f"{name}_rows",
        template=_KERNELS / "rows.c.j2",
        form=Form.ROWS,
        runtime=runtime,
        has_far_form=True,
        variant=variant,
    )
    return Kernel(
        name=name,
        template=_KERNELS / "portable.c.j2",
        form=Form.POINTWISE,
        when=_takes(variant),
        runtime=runtime,
        has_far_form=True,
        in_rows=in_rows,
        variant=variant,
    )


def _fours_kernel(plain: Kernel) -> Kernel:
    """The same for four outputs at a time, where the sums outweigh what is around them."""
    is_for = plain.when
    assert is_for is not None
    return replace(
        plain,
        when=lambda params: (
            is_for(params)
            and isinstance(params, Params)
            and params.input_count >= _WORTH_FOUR
            and params.output_count >= 4
        ),
        name=f"{plain.name}_fours",
        template=_KERNELS / "fours.c.j2",
        requires=frozenset((Feature.REGISTERS_32,)),
        runtime=("dot_products", "dot_product", "requantize"),
    )


def _paged_kernel(name: str, *, is_per_axis: bool = False) -> Kernel:
    """The same with weights outside flash."""
    needs = frozenset((Feature.EXTERNAL_WEIGHTS,))
    in_rows = Kernel(
        name=f"{name}_rows",
        template=_KERNELS / "paged_rows.c.j2",
        form=Form.ROWS,
        requires=needs,
        runtime=_PAGED_RUNTIME,
        variant=Scales(is_per_axis=is_per_axis),
        pack=pack,
    )
    return Kernel(
        name=name,
        template=_KERNELS / "paged.c.j2",
        form=Form.POINTWISE,
        requires=needs,
        when=lambda params: isinstance(params, Params) and params.is_per_axis == is_per_axis,
        runtime=_PAGED_RUNTIME,
        in_rows=in_rows,
        variant=Scales(is_per_axis=is_per_axis),
        pack=pack,
    )


def _blocks_kernel(name: str, *, is_per_axis: bool = False) -> Kernel:
    """The same with weights packed in blocks, for processors of 32 bits."""
    return Kernel(
        name=name,
        template=_KERNELS / "blocks.c.j2",
        form=Form.POINTWISE,
        requires=frozenset((Feature.PACKED_WEIGHTS, Feature.REGISTERS_32)),
        when=_takes_packed(packed.blocks_pay, is_per_axis=is_per_axis),
        runtime=("unpack_block", "dot_products", "dot_product", "requantize"),
        variant=Scales(is_per_axis=is_per_axis),
        pack=packed.pack_in_blocks,
    )


def _rice_kernel(name: str, *, is_per_axis: bool = False) -> Kernel:
    """The same with weights in Rice codes, and in pieces.  They are shorter than blocks, but take a
    processor of 32 bits four times as long."""
    in_rows = Kernel(
        name=f"{name}_rows",
        template=_KERNELS / "rice_rows.c.j2",
        form=Form.ROWS,
        runtime=("rice_dot_product", "requantize"),
        has_far_form=True,
        variant=Scales(is_per_axis=is_per_axis),
        pack_pieces=packed.pack_pieces_in_rice,
    )
    return replace(
        in_rows,
        name=name,
        template=_KERNELS / "rice.c.j2",
        form=Form.POINTWISE,
        requires=frozenset((Feature.PACKED_WEIGHTS,)),
        excludes=frozenset((Feature.REGISTERS_32,)),
        when=_takes_packed(packed.rice_pays, is_per_axis=is_per_axis),
        in_rows=in_rows,
        pack=packed.pack_in_rice,
        pack_pieces=None,
    )


def _takes_packed(pays: Callable[[Params], bool], *, is_per_axis: bool) -> Callable[[object], bool]:
    """Whether such a kernel is for the params, and its form of their weights pays."""
    return lambda params: (
        isinstance(params, Params)
        and not params.has_nibbles
        and params.is_per_axis == is_per_axis
        and pays(params)
    )


def _takes(variant: Nibbles) -> Callable[[object], bool]:
    """Whether such a kernel is for the params."""
    return lambda params: (
        isinstance(params, Params)
        and params.is_per_axis == variant.is_per_axis
        and params.has_nibbles == variant.has_nibbles
    )


def _operands_kernel(name: str, template: str, *computed: str) -> Kernel:
    """For operands that are `computed`, and no others."""
    return Kernel(
        name=name,
        template=_KERNELS / template,
        form=Form.WHOLE,
        when=lambda params: all(
            (getattr(params, operand) is None) == (operand in computed)
            for operand in ("weights", "bias")
        ),
        variant=Computed.of(computed),
    )


def _centred_kernel(name: str, *computed: str) -> Kernel:
    """The same of integers."""
    return replace(
        _operands_kernel(name, "centred.c.j2", *computed),
        runtime=("requantize",),
        has_far_form="weights" not in computed,
    )


_CENTRED = (
    _centred_kernel("fully_connected_centred"),
    _centred_kernel("fully_connected_computed_bias", "bias"),
    _centred_kernel("fully_connected_computed_weights", "weights"),
    _centred_kernel("fully_connected_computed", "weights", "bias"),
)
_REAL_OPERANDS = tuple(
    _operands_kernel(f"fully_connected_real_computed{end}", "float32_operands.c.j2", *computed)
    for end, computed in (
        ("_weights", ("weights",)),
        ("_bias", ("bias",)),
        ("", ("weights", "bias")),
    )
)
_PLAIN = (
    _paged_kernel("fully_connected_paged"),
    _paged_kernel("fully_connected_per_axis_paged", is_per_axis=True),
    _blocks_kernel("fully_connected_blocks"),
    _blocks_kernel("fully_connected_per_axis_blocks", is_per_axis=True),
    _rice_kernel("fully_connected_rice"),
    _rice_kernel("fully_connected_per_axis_rice", is_per_axis=True),
    _kernel("fully_connected_nibbles", Nibbles(has_nibbles=True), _NIBBLES),
    _kernel(
        "fully_connected_per_axis_nibbles",
        Nibbles(has_nibbles=True, is_per_axis=True),
        _NIBBLES,
    ),
    *VECTORS,
    *pair_kernels("fully_connected_pairs"),
    *pair_kernels("fully_connected_per_axis_pairs", is_per_axis=True),
    *offset_pairs.KERNELS,
    *groups.KERNELS,
    unsigned_fours.KERNEL,
    unsigned_pairs.KERNEL,
    _fours_kernel(_kernel("fully_connected", Nibbles())),
    _fours_kernel(_kernel("fully_connected_per_axis", Nibbles(is_per_axis=True))),
    _kernel("fully_connected", Nibbles()),
    _kernel("fully_connected_per_axis", Nibbles(is_per_axis=True)),
)
"""Best first."""

_INTEGERS = Meaning(OPERANDS, oracle, prepare, _PLAIN, interval=interval, check=check)
_OF_LITERT = replace(_INTEGERS, oracle=oracle_of_litert, check=nearest.check)

OP = Op(
    name="fully_connected",
    builtin_code=9,
    options_type=8,
    attrs=Attrs,
    inputs=("input", "weights", "bias?"),
    options=check_options,
    summary="int8, weights int8 or int4, per-tensor or per-axis, with a zero point, computed; "
    "float32, weights computed too; fused activation; any input rank",
    macs=weighted_macs,
    channels=channels,
    meanings=(
        Meaning(
            takes=float32.takes_operands,
            operands=float32.OPERANDS,
            check=check_vectors,
            oracle=oracle_of_real,
            prepare=float32.prepare_operands,
            kernels=_REAL_OPERANDS,
        ),
        Meaning(
            takes=takes_real_weights,
            operands=float32.OPERANDS,
            check=check_vectors,
            oracle=oracle_of_real,
            prepare=float32.prepare,
            kernels=(
                Kernel(
                    name="fully_connected_real",
                    template=_KERNELS / "float32.c.j2",
                    form=Form.POINTWISE,
                ),
            ),
        ),
        replace(
            _OF_LITERT,
            takes=nearest.takes_centred,
            prepare=nearest.prepare_centred,
            kernels=nearest.forms(_CENTRED),
        ),
        replace(
            _OF_LITERT,
            takes=nearest.takes,
            prepare=nearest.prepare,
            kernels=nearest.forms(_PLAIN),
        ),
        replace(_INTEGERS, takes=centred.takes, prepare=centred.prepare, kernels=_CENTRED),
        _INTEGERS,
    ),
    quantization=weighted(Weights(axis=0), version=4),
)
