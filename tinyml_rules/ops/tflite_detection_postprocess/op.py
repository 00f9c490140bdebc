"""TFLite_Detection_PostProcess: options, checks, and what its kernels are given."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tinyml_rules.ir.buffers import Scratch
from tinyml_rules.ir.c_struct import Float32, Int
from tinyml_rules.ir.graph import Array, NodeView, Tensor
from tinyml_rules.ir.program import Work
from tinyml_rules.ops._shared.operands import real

COORDINATES = 4
MOST_BOXES = 2**15 - 1
"""The number of a box has 16 bits."""
SCALES = ("y_scale", "x_scale", "h_scale", "w_scale")


@dataclass(frozen=True)
class Attrs:
    """The FlexBuffer's map."""

    max_detections: int
    max_classes_per_detection: int
    nms_score_threshold: float
    nms_iou_threshold: float
    num_classes: int
    y_scale: float
    x_scale: float
    h_scale: float
    w_scale: float
    detections_per_class: int = 100
    use_regular_nms: bool = False


@dataclass(frozen=True, eq=False)
class Params:
    """Members of the C struct.

    `coordinates` and `step` are the values of a box's encoding and of its predictions;
    `first_class` is 1 where the first prediction is the background's.
    """

    anchors: Array
    boxes: Int
    coordinates: Int
    classes: Int
    step: Int
    first_class: Int
    detections: Int
    most_of_class: Int
    least_score: Float32
    most_overlap: Float32
    y_scale: Float32
    x_scale: Float32
    h_scale: Float32
    w_scale: Float32


def attrs_of(view: NodeView) -> Attrs:
    """The options."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    return attrs


OPERANDS = {
    "box encodings": real(ranks=range(3, 4)),
    "class predictions": real(ranks=range(3, 4)),
    "anchors": real(ranks=range(2, 3), is_constant=True),
    "boxes": real(count=lambda view: COORDINATES * attrs_of(view).max_detections),
    "classes": real(count=lambda view: attrs_of(view).max_detections),
    "scores": real(count=lambda view: attrs_of(view).max_detections),
    "count": real(count=1),
}


def check_options(view: NodeView) -> Iterator[str]:
    """Numbers that TFLM takes, and with which it stays inside of its outputs."""
    attrs = attrs_of(view)
    names = ["max_detections", "num_classes"]
    names.append("detections_per_class" if attrs.use_regular_nms else "max_classes_per_detection")
    for name in names:
        if getattr(attrs, name) < 1:
            yield f"{name} is {getattr(attrs, name)}, expected at least 1"
    each = min(attrs.max_classes_per_detection, attrs.num_classes)
    if not attrs.use_regular_nms and each > 1:
        yield (
            f"max_classes_per_detection is {attrs.max_classes_per_detection}, with which TFLM "
            "writes outside of its outputs, expected 1"
        )
    if not 0 < np.float32(attrs.nms_iou_threshold) <= 1:
        yield f"nms_iou_threshold is {attrs.nms_iou_threshold:g}, expected more than 0 and up to 1"
    if math.isnan(attrs.nms_score_threshold):
        yield "nms_score_threshold is no number"
    for option_name in SCALES:
        scale = float(_float32(getattr(attrs, option_name)))
        if scale == 0 or not math.isfinite(scale):
            yield f"{option_name} is {scale:g}, expected a finite number other than 0"


def _float32(value: float) -> np.float32:
    with np.errstate(over="ignore"):
        return np.float32(value)


def check(view: NodeView) -> Iterator[str]:
    """Shapes that agree, and anchors of which each gives a box."""
    encodings, predictions = view["box encodings"], view["class predictions"]
    anchors, classes = view["anchors"], attrs_of(view).num_classes
    batch, boxes, coordinates = encodings.shape
    if batch != 1 or coordinates < COORDINATES:
        yield (
            f"box encodings tensor {encodings} has shape {list(encodings.shape)}, expected a batch "
            f"of 1 and at least {COORDINATES} coordinates"
        )
    if boxes > MOST_BOXES:
        yield f"box encodings tensor {encodings} has {boxes} boxes, expected at most {MOST_BOXES}"
    if predictions.shape not in ((1, boxes, classes), (1, boxes, classes + 1)):
        yield (
            f"class predictions tensor {predictions} has shape {list(predictions.shape)}, expected "
            f"{[1, boxes, classes]}, or one class more, the background"
        )
    if anchors.shape != (boxes, COORDINATES):
        expected = [boxes, COORDINATES]
        yield f"anchors tensor {anchors} has shape {list(anchors.shape)}, expected {expected}"
    elif not _are_boxes(_values_of(anchors)):
        yield f"anchors tensor {anchors} has an anchor without a finite place and a size above 0"


def _values_of(anchors: Tensor) -> Array:
    assert anchors.data is not None
    return anchors.data


def _are_boxes(anchors: Array) -> bool:
    sizes = anchors.astype(np.float64)[:, 2:]
    return bool(np.isfinite(anchors.astype(np.float64)).all() and (sizes > 0).all())


def params_of(view: NodeView) -> Params:
    """Everything that does not depend on the input's values."""
    attrs, (_, boxes, coordinates) = attrs_of(view), view["box encodings"].shape
    step = view["class predictions"].shape[2]
    return Params(
        anchors=_values_of(view["anchors"]),
        boxes=boxes,
        coordinates=coordinates,
        classes=attrs.num_classes,
        step=step,
        first_class=step - attrs.num_classes,
        detections=attrs.max_detections,
        most_of_class=min(attrs.detections_per_class, boxes),
        least_score=float(_float32(attrs.nms_score_threshold)),
        most_overlap=float(_float32(attrs.nms_iou_threshold)),
        **{name: float(_float32(getattr(attrs, name))) for name in SCALES},
    )


def prepare(view: NodeView) -> Work:
    """Numbers of boxes to choose from, and of the chosen; then the greatest score of each box, or
    all boxes and those of one class."""
    params = params_of(view)
    if attrs_of(view).use_regular_nms:
        chosen = params.most_of_class
        reals = [COORDINATES * params.boxes, COORDINATES * chosen]
    else:
        chosen = min(params.detections, params.boxes)
        reals = [params.boxes]
    return Work(
        params=params,
        inputs=(view["box encodings"].index, view["class predictions"].index),
        outputs=tuple(tensor.index for tensor in view.outputs),
        scratch=(
            *(Scratch(2 * count, 2) for count in (params.boxes, chosen)),
            *(Scratch(4 * count, 4) for count in reals),
        ),
    )
