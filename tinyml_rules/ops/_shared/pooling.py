"""What AVERAGE_POOL_2D, L2_POOL_2D and MAX_POOL_2D share: everything but the reduction of a window
of integers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from tinyml_rules.arithmetic.fixed_point import INT32_MAX
from tinyml_rules.ir.c_struct import Float32, Int, Result
from tinyml_rules.ir.condition import Condition
from tinyml_rules.ir.contract import Extent, Padding, each_pixel
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ir.options import option
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.window import Window
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.activated import clamps_of, plain_bounds
from tinyml_rules.ops._shared.interval import (
    MOST_ELEMENTS,
    Interval,
    IntervalMeaning,
    Intervals,
    ValueOracle,
    rising,
)
from tinyml_rules.ops._shared.operands import Operands, real, value_of
from tinyml_rules.ops._shared.operator import Check, Meaning, Oracle
from tinyml_rules.ops._shared.plain_values import takes_type
from tinyml_rules.ops._shared.spatial import (
    IMAGE,
    Sliding,
    check_window,
    column_reach,
    row_window,
    walks,
)


@dataclass(frozen=True)
class Attrs:
    """Pool2DOptions."""

    padding: int = option(0, "int8")
    stride_width: int = option(1, "int32")
    stride_height: int = option(2, "int32")
    window_width: int = option(3, "int32")
    window_height: int = option(4, "int32")
    activation: int = option(5, "int8")


@dataclass(frozen=True)
class Walked:
    """Members of the C struct; widths, stride and padding are horizontal, in pixels."""

    input_width: Annotated[Int, Extent]
    channels: Annotated[Int, Extent]
    output_width: Annotated[Int, Extent]
    window_width: Annotated[Int, Extent]
    stride: Annotated[Int, Extent]
    pad_left: Annotated[Int, Padding]


@dataclass(frozen=True)
class RealParams(Walked):
    """The same of a pool of real numbers."""

    clamp_min: Float32
    clamp_max: Float32
    window: Window


@dataclass(frozen=True)
class Params(Walked):
    """The same of int8 and int16."""

    clamp_min: Result
    clamp_max: Result
    window: Window

    @property
    def cells(self) -> int:
        """Cells of a window."""
        return self.window.height * self.window_width


CONTRACT = each_pixel("channels")


def has_channels(least: int) -> Condition[Params]:
    """There are at least so many channels."""
    return Condition(lambda params: params.channels >= least, f"fewer than {least} channels")


def has_cells(most: int) -> Condition[Params]:
    """A window has at most so many cells."""
    return Condition(lambda params: params.cells <= most, f"a window of more than {most} cells")


def slidings(view: NodeView) -> tuple[Sliding, Sliding]:
    """How the window moves: (vertically, horizontally)."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    return (
        Sliding(attrs.window_height, attrs.stride_height),
        Sliding(attrs.window_width, attrs.stride_width),
    )


def operands_of(dtype: DType) -> Operands:
    """An image of int8 or int16, and one of the same quantization."""
    output = value_of(dtype, ranks=IMAGE, scale_of="input")
    return {"input": value_of(dtype, ranks=IMAGE), "output": output}


REAL_OPERANDS = {"input": real(ranks=IMAGE), "output": real(ranks=IMAGE)}


def check_options(view: NodeView) -> Iterator[str]:
    """A fused activation that clamps."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    yield from constraints.fused_activation(attrs.activation, view.output)


def check(view: NodeView) -> Iterator[str]:
    """Shapes that agree."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    vertical, horizontal = slidings(view)
    yield from check_window(
        view,
        padding=attrs.padding,
        vertical=vertical,
        horizontal=horizontal,
        channels=view["input"].shape[3],
    )


def most_cells(dtype: DType) -> int:
    """Values whose sum int32 holds, with half their number."""
    least, _ = dtype.limits
    return (2 * INT32_MAX) // (1 - 2 * least)


def check_mean(view: NodeView, *, most: int | None = None) -> Iterator[str]:
    """The same, and the sum of a window, with half its cells for rounding, fits int32."""
    problems = list(check(view))
    yield from problems
    if not problems:
        vertical, horizontal = walks(view, *slidings(view))
        source = view["input"]
        cells = min(vertical.size, source.shape[1]) * min(horizontal.size, source.shape[2])
        most = most or most_cells(source.dtype)
        if cells > most:
            yield (
                f"a window over input tensor {source} has {cells} cells, expected at most "
                f"{most}, of which int32 holds the sum"
            )


def windowed(oracle: ValueOracle) -> IntervalMeaning:
    """The interval of a pool, whose outputs are monotonic in its inputs."""
    of_ends = rising(oracle)

    def interval(view: NodeView, intervals: Intervals) -> Interval | None:
        cells = math.prod(each.size for each in slidings(view))
        return of_ends(view, intervals) if view.output.count * cells <= MOST_ELEMENTS else None

    return interval


@dataclass(frozen=True)
class Pixels(Variant):
    """Words of the templates of more than one type."""

    element: str
    """C type of a value."""
    rounds_up: bool = False
    """Whether a mean that ties is rounded upwards."""


OF_BYTES = Pixels(DType.INT8.c_type)


def int16_meaning(name: str, oracle: Oracle, template: Path, check_sizes: Check) -> Meaning[Params]:
    """The meaning for int16, by the template that int8 has on every processor."""
    kernel = Kernel[Params](
        name=f"{name}_int16",
        template=template,
        form=Form.WINDOW,
        variant=Pixels(DType.INT16.c_type),
    )
    return Meaning(
        takes=takes_type(DType.INT16),
        operands=operands_of(DType.INT16),
        check=check_sizes,
        oracle=oracle,
        prepare=prepare,
        kernels=(kernel,),
    )


def prepare(view: NodeView) -> Work[Params]:
    """Work by rows, for int8 and int16; no stream keeps sums of the latter."""
    params = params_of(view)
    is_narrow = view.output.dtype is DType.INT8
    sums = params.channels if is_narrow and sees_all(params) else 0
    return replace(_work(view, params), facts=params, sums=sums)


def prepare_real(view: NodeView) -> Work:
    """Work by rows, for float32; no stream keeps sums of it."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    low, high = plain_bounds(attrs.activation, DType.FLOAT32)
    window = _window(view)
    params = RealParams(**vars(_walked(view)), clamp_min=low, clamp_max=high, window=window)
    return _work(view, params)


@dataclass(frozen=True)
class RealPool(Variant):
    """Words of the template of means."""

    title: str
    """The operator's name."""
    is_root: bool
    """Whether it is the root of the mean of squares."""


def real_kernel(name: str, title: str, *, is_root: bool = False) -> Kernel:
    """The kernel for means of real numbers, one output row."""
    return Kernel(
        name=name,
        template=Path(__file__).parent / "kernels" / "real_pool.c.j2",
        form=Form.WINDOW,
        runtime=("real_sqrt",) if is_root else (),
        variant=RealPool(title, is_root),
    )


def _work(view: NodeView, params: Params | RealParams) -> Work:
    _, horizontal = walks(view, *slidings(view))
    return Work(
        params=params,
        inputs=(view["input"].index,),
        outputs=(view.output.index,),
        window=params.window,
        columns=column_reach(view["input"], view.output, horizontal),
    )


def sees_all(params: Params) -> bool:
    """The only window covers the whole image."""
    window = params.window
    return (
        (window.batches, window.output_rows, params.output_width) == (1, 1, 1)
        and (window.pad_top, params.pad_left) == (0, 0)
        and (window.height, params.window_width) == (window.input_rows, params.input_width)
    )


def params_of(view: NodeView) -> Params:
    """Everything that does not depend on the input's values."""
    attrs, result = view.node.attrs, view.output
    assert isinstance(attrs, Attrs)
    clamp_min, clamp_max = clamps_of(attrs.activation, result)
    window = _window(view)
    return Params(**vars(_walked(view)), clamp_min=clamp_min, clamp_max=clamp_max, window=window)


def _window(view: NodeView) -> Window:
    vertical, _ = walks(view, *slidings(view))
    return row_window(view["input"], view.output, vertical)


def _walked(view: NodeView) -> Walked:
    """How the window moves over the image."""
    source, result = view["input"], view.output
    _, horizontal = walks(view, *slidings(view))
    return Walked(
        input_width=source.shape[2],
        channels=source.shape[3],
        output_width=result.shape[2],
        window_width=horizontal.size,
        stride=horizontal.stride,
        pad_left=horizontal.pad_before,
    )
