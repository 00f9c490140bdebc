"""FULLY_CONNECTED: every output is a weighted sum of a whole input vector."""

from dataclasses import replace
from pathlib import Path

from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ir.sum_conditions import (
    BYTES,
    NIBBLES,
    Ask,
    of_scale,
    outputs_from,
    values_from,
)
from tinyml_rules.ir.sums import Scale, Sums
from tinyml_rules.ops._shared.accumulate import weighted_macs
from tinyml_rules.ops._shared.computed_operands import ComputedNames, of_computed
from tinyml_rules.ops._shared.computed_weights import Computed
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops._shared.quantization import Weights, weighted
from tinyml_rules.ops._weighted.frame import of_vectors
from tinyml_rules.ops._weighted.int16x8 import int16_meaning
from tinyml_rules.ops.fully_connected import (
    centred,
    float32,
    nearest,
    offset_pairs,
    packed,
    unsigned_fours,
    unsigned_pairs,
)
from tinyml_rules.ops.fully_connected.channels import channels, interval
from tinyml_rules.ops.fully_connected.op import (
    CONTRACT,
    CONTRACT_OF_PIECES,
    OPERANDS,
    Attrs,
    check,
    check_options,
    check_vectors,
    prepare,
    seen,
)
from tinyml_rules.ops.fully_connected.oracle import oracle, oracle_of_litert, oracle_of_real
from tinyml_rules.ops.fully_connected.paged import pack
from tinyml_rules.ops.fully_connected.pairs import pair_kernels
from tinyml_rules.ops.fully_connected.variants import Plain, Scales

_WORTH_FOUR = 32
"""Inputs of a vector: measured on Cortex-M0 and M4 with the sine's layers of 1 and 16."""

_KERNELS = Path(__file__).parent / "kernels"
_RUNTIME = ("dot_product", "requantize")
_NIBBLES = ("nibble_dot_product", "requantize")
_PAGED_RUNTIME = ("page_dot_product", "page_int8", "page_int32", "requantize")


def _kernel(
    name: str,
    scale: Scale,
    weights: Ask = BYTES,
    runtime: tuple[str, ...] = _RUNTIME,
) -> Kernel[Sums]:
    """The kernel for one vector after the other, and the same in pieces."""
    words = Plain(
        is_per_axis=scale is Scale.EACH, has_nibbles=weights is NIBBLES, dot_product=runtime[0]
    )
    in_rows = Kernel[Sums](
        name=f"{name}_rows",
        template=_KERNELS / "rows.c.j2",
        form=Form.ROWS,
        runtime=runtime,
        has_far_form=True,
        variant=words,
        contract=None if words.has_nibbles else CONTRACT_OF_PIECES,
    )
    return Kernel(
        name=name,
        template=_KERNELS / "portable.c.j2",
        form=Form.POINTWISE,
        can=(of_scale(scale), weights),
        runtime=runtime,
        has_far_form=True,
        in_rows=in_rows,
        variant=words,
        contract=None if words.has_nibbles else CONTRACT,
    )


def _fours_kernel(plain: Kernel[Sums]) -> Kernel[Sums]:
    """The same for four outputs at a time, where the sums outweigh what is around them."""
    return replace(
        plain,
        can=(*plain.can, outputs_from(4)),
        pays=(values_from(_WORTH_FOUR),),
        name=f"{plain.name}_fours",
        template=_KERNELS / "fours.c.j2",
        requires=frozenset((Feature.REGISTERS_32,)),
        runtime=("dot_products", "dot_product", "requantize"),
        contract=None,
    )


def _paged_kernel(name: str, scale: Scale) -> Kernel[Sums]:
    """The same with weights outside flash."""
    needs = frozenset((Feature.EXTERNAL_WEIGHTS,))
    in_rows = Kernel(
        name=f"{name}_rows",
        template=_KERNELS / "paged_rows.c.j2",
        form=Form.ROWS,
        requires=needs,
        runtime=_PAGED_RUNTIME,
        variant=Scales(is_per_axis=scale is Scale.EACH),
        pack=pack,
    )
    return Kernel(
        name=name,
        template=_KERNELS / "paged.c.j2",
        form=Form.POINTWISE,
        requires=needs,
        can=(of_scale(scale),),
        runtime=("stream_int32", "requantize"),
        in_rows=in_rows,
        variant=Scales(is_per_axis=scale is Scale.EACH),
        pack=pack,
    )


def _blocks_kernel(name: str, scale: Scale) -> Kernel[Sums]:
    """The same with weights packed in blocks, for processors of 32 bits."""
    return Kernel(
        name=name,
        template=_KERNELS / "blocks.c.j2",
        form=Form.POINTWISE,
        requires=frozenset((Feature.PACKED_WEIGHTS, Feature.REGISTERS_32)),
        can=(of_scale(scale), BYTES),
        pays=(packed.BLOCKS_PAY,),
        runtime=("unpack_block", "dot_products", "dot_product", "requantize"),
        variant=Scales(is_per_axis=scale is Scale.EACH),
        pack=packed.pack_in_blocks,
    )


def _rice_kernel(name: str, scale: Scale) -> Kernel[Sums]:
    """The same with weights in Rice codes, and in pieces.  They are shorter than blocks, but take a
    processor of 32 bits four times as long."""
    in_rows = Kernel(
        name=f"{name}_rows",
        template=_KERNELS / "rice_rows.c.j2",
        form=Form.ROWS,
        runtime=("rice_dot_product", "requantize"),
        has_far_form=True,
        variant=Scales(is_per_axis=scale is Scale.EACH),
        pack_pieces=packed.pack_pieces_in_rice,
    )
    return replace(
        in_rows,
        name=name,
        template=_KERNELS / "rice.c.j2",
        form=Form.POINTWISE,
        requires=frozenset((Feature.PACKED_WEIGHTS,)),
        excludes=frozenset((Feature.REGISTERS_32,)),
        can=(of_scale(scale), BYTES),
        pays=(packed.RICE_PAYS,),
        in_rows=in_rows,
        pack=packed.pack_in_rice,
        pack_pieces=None,
    )


def _operands_kernel(name: str, template: str, *computed: str) -> Kernel[ComputedNames]:
    """For operands that are `computed`, and no others."""
    return Kernel(
        name=name,
        template=_KERNELS / template,
        form=Form.WHOLE,
        can=(of_computed(*computed),),
        variant=Computed.of(computed),
    )


def _centred_kernel(name: str, *computed: str) -> Kernel[ComputedNames]:
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
    _paged_kernel("fully_connected_paged", Scale.ONE),
    _paged_kernel("fully_connected_per_axis_paged", Scale.EACH),
    _blocks_kernel("fully_connected_blocks", Scale.ONE),
    _blocks_kernel("fully_connected_per_axis_blocks", Scale.EACH),
    _rice_kernel("fully_connected_rice", Scale.ONE),
    _rice_kernel("fully_connected_per_axis_rice", Scale.EACH),
    *of_vectors("fully_connected", is_for_speed=True),
    *pair_kernels("fully_connected_pairs", Scale.ONE),
    *pair_kernels("fully_connected_per_axis_pairs", Scale.EACH),
    *offset_pairs.KERNELS,
    *of_vectors("fully_connected"),
    unsigned_fours.KERNEL,
    unsigned_fours.SIGNED_KERNEL,
    *unsigned_pairs.KERNELS,
    _kernel("fully_connected_nibbles", Scale.ONE, NIBBLES, _NIBBLES),
    _kernel("fully_connected_per_axis_nibbles", Scale.EACH, NIBBLES, _NIBBLES),
    _fours_kernel(_kernel("fully_connected", Scale.ONE)),
    _fours_kernel(_kernel("fully_connected_per_axis", Scale.EACH)),
    _kernel("fully_connected", Scale.ONE),
    _kernel("fully_connected_per_axis", Scale.EACH),
)
"""Best first."""

_INTEGERS: Meaning = Meaning[Sums](
    OPERANDS, oracle, prepare, _PLAIN, interval=interval, check=check
)
_OF_LITERT: Meaning = replace(_INTEGERS, oracle=oracle_of_litert, check=nearest.check)

OP = Op(
    name="fully_connected",
    builtin_code=9,
    options_type=8,
    attrs=Attrs,
    inputs=("input", "weights", "bias?"),
    options=check_options,
    summary="int8, weights int8 or int4, per-tensor or per-axis, with a zero point, computed; "
    "int16 with weights int8; float32, weights computed too; fused activation; any input rank",
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
        *float32.MEANINGS,
        int16_meaning(
            OPERANDS,
            check,
            oracle,
            prepare,
            _kernel("fully_connected", Scale.ONE),
            _kernel("fully_connected_per_axis", Scale.EACH),
            tiles=of_vectors("fully_connected", "int16_t"),
            is_same_in_litert=False,
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
    quantization=weighted(
        Weights(axis=0, int4_version=10, has_int4_per_axis=False, seen=seen), version=4
    ),
)
