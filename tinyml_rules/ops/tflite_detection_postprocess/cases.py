"""Cases of TFLite_Detection_PostProcess: boxes that overlap, scores that tie, classes, and ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from flatbuffers import flexbuffers
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec
from tinyml_rules.ops._shared.cases.case import (
    AnyArray,
    Case,
    Rejected,
    int32s,
    random,
    with_tensor,
)

OPTIONS: Mapping[str, Any] = {
    "max_detections": 4,
    "max_classes_per_detection": 1,
    "nms_score_threshold": 0.0,
    "nms_iou_threshold": 0.5,
    "num_classes": 3,
    "y_scale": 10.0,
    "x_scale": 10.0,
    "h_scale": 5.0,
    "w_scale": 5.0,
}


def anchors_of(boxes: int, *, size: float = 0.3) -> npt.NDArray[np.float32]:
    """Places in a row from 0 to 1, and sizes around `size`."""
    places = (np.arange(boxes) + 0.5) / boxes
    sizes = size * random(2).uniform(0.5, 2, (boxes, 2))
    return np.column_stack([places, places[::-1], sizes]).astype(np.float32)


def detector(
    boxes: int = 12,
    *,
    background: int = 1,
    coordinates: int = 4,
    anchors: AnyArray | None = None,
    removed: str = "",
    **options: Any,
) -> ModelSpec:
    """A node that decodes so many boxes; `removed` is an option that it does not have."""
    named = {**OPTIONS, **options}
    named.pop(removed, None)
    count, classes = options.get("max_detections", 4), named["num_classes"] + background
    data = anchors_of(boxes) if anchors is None else anchors
    tensors = (
        TensorSpec("encodings", (1, boxes, coordinates), "float32"),
        TensorSpec("predictions", (1, boxes, classes), "float32"),
        TensorSpec("anchors", data.shape, "float32", data=data),
        TensorSpec("boxes", (1, count, 4), "float32"),
        TensorSpec("classes", (1, count), "float32"),
        TensorSpec("scores", (1, count), "float32"),
        TensorSpec("count", (1,), "float32"),
    )
    operator = OperatorSpec(
        "CUSTOM",
        (0, 1, 2),
        (3, 4, 5, 6),
        custom_code="TFLite_Detection_PostProcess",
        custom_options=bytes(flexbuffers.Dumps(named)),
    )
    return ModelSpec(tensors, (operator,), (0, 1), (3, 4, 5, 6))


def samples_of(
    model: ModelSpec, *, count: int = 4, seed: int = 1, levels: int = 0
) -> tuple[AnyArray, AnyArray]:
    """Encodings of many sizes, and scores from 0 to 1, of only so many `levels` if there are any,
    so that they tie."""
    generator = random(seed)
    shapes = [(count, *each.shape) for each in model.tensors[:2]]
    encodings = generator.normal(0, 1, shapes[0]) * 2.0 ** generator.integers(-6, 4, shapes[0])
    scores = generator.uniform(0, 1, shapes[1])
    if levels:
        scores = np.round(scores * levels) / levels
    return encodings.astype(np.float32), scores.astype(np.float32)


def _case(model: ModelSpec, **more: Any) -> Case:
    return Case(model, samples_of(model, **more))


def _ends() -> Case:
    """Sizes from a hundredth to infinity, places that are 0, large, or at an anchor that is 0."""
    anchors = anchors_of(8)
    anchors[:4, :2] = np.array([[0.0, 0.0], [-0.5, 0.5], [1e-30, 3.0], [0.25, 1.0]])
    model = detector(8, max_detections=8, nms_iou_threshold=1.0, anchors=anchors)
    encodings = np.zeros((4, 1, 8, 4), np.float32)
    encodings[0, 0, :, 2:] = np.array([-5, -1, 0, 1, 5, 100, 450, 3000])[:, None]
    encodings[1, 0, :, :2] = np.array([0, -0.0, 1e-40, 2.0**-149, 1e3, -1e3, 5, -5])[:, None]
    encodings[2, 0, :, 0] = -encodings[1, 0, :, 0]
    encodings[2, 0, :, 2:] = 20
    encodings[3, 0, :, 2:] = np.array([435, 440, 443, 443.6, 444, 2.0**-140, 1e-20, 2e3])[:, None]
    encodings[3, 0, :, :2] = np.array([3e38, -3e38, 1e30, 1, 2, 1e-45, -1e-38, 7])[:, None]
    return Case(model, (encodings, samples_of(model)[1]))


def _first(model: ModelSpec, count: int) -> Case:
    """A first inference that finds so many boxes, fewer than there is room for: of the outputs only
    those of them, because TFLM leaves the others as they were."""
    tensors, operators, outputs = list(model.tensors), list(model.operators), [6]
    for place in (3, 4, 5) if count else ():
        shape = (1, count, *tensors[place].shape[2:])
        numbers = (int32s(f"begin {place}", [0] * len(shape)), int32s(f"size {place}", shape))
        outputs.append(len(tensors) + 2)
        inputs = (place, len(tensors), len(tensors) + 1)
        tensors += [*numbers, TensorSpec(f"first {place}", shape, "float32")]
        operators.append(OperatorSpec("SLICE", inputs, (outputs[-1],)))
    whole = replace(
        model, tensors=tuple(tensors), operators=tuple(operators), outputs=tuple(outputs)
    )
    return Case(whole, samples_of(model, count=1))


CASES = {
    "fast": _case(detector(40, num_classes=5, nms_iou_threshold=0.9)),
    "fast_one_class": _case(detector(num_classes=1, nms_iou_threshold=0.9)),
    "fast_without_background": _case(detector(background=0, nms_iou_threshold=0.9)),
    "fast_ties": _case(detector(40, max_detections=20, nms_iou_threshold=1.0), levels=3),
    "fast_seven_coordinates": _case(detector(coordinates=7, nms_iou_threshold=0.9)),
    "fast_other_scales": _case(
        detector(nms_iou_threshold=0.9, y_scale=-3.0, x_scale=0.7, h_scale=-7.0, w_scale=9.9)
    ),
    "fast_few": _first(detector(6, max_detections=9, nms_iou_threshold=1.0), 6),
    "fast_none": _first(detector(nms_score_threshold=2.0), 0),
    "fast_some": _first(
        detector(30, max_detections=12, nms_iou_threshold=0.2, nms_score_threshold=0.8), 7
    ),
    "fast_all_boxes": _case(detector(8, max_detections=8, nms_iou_threshold=1.0)),
    "regular": _case(detector(40, num_classes=5, use_regular_nms=True)),
    "regular_one_class": _case(detector(num_classes=1, use_regular_nms=True)),
    "regular_without_background": _case(detector(background=0, use_regular_nms=True)),
    "regular_ties": _case(detector(40, max_detections=20, use_regular_nms=True), levels=3),
    "regular_few": _case(detector(6, max_detections=30, use_regular_nms=True)),
    "regular_threshold": _case(
        detector(30, max_detections=9, use_regular_nms=True, nms_score_threshold=0.8)
    ),
    "regular_two_of_class": _case(
        detector(30, max_detections=9, use_regular_nms=True, detections_per_class=2)
    ),
    "regular_none": _case(detector(use_regular_nms=True, nms_score_threshold=2.0)),
    "ends": _ends(),
}
SAMPLES = ("fast", "fast_some", "regular", "ends")
"""Cases between which every kernel is used."""


def _wrong(*errors: str, **options: Any) -> Rejected:
    return Rejected(detector(**options), errors)


def _bad_anchor(value: float) -> AnyArray:
    anchors = anchors_of(12)
    anchors[3, 2] = value
    return anchors


_ANCHOR = "anchors tensor #2 'anchors' has an anchor without a finite place and a size above 0"

REJECTED = {
    "two_classes_a_detection": _wrong(
        "max_classes_per_detection is 2, with which TFLM writes outside of its outputs, expected 1",
        max_classes_per_detection=2,
    ),
    "no_class_a_detection": _wrong(
        "max_classes_per_detection is 0, expected at least 1", max_classes_per_detection=0
    ),
    "none_of_class": _wrong(
        "detections_per_class is 0, expected at least 1",
        detections_per_class=0,
        use_regular_nms=True,
    ),
    "overlap_of_zero": _wrong(
        "nms_iou_threshold is 0, expected more than 0 and up to 1", nms_iou_threshold=0.0
    ),
    "threshold_no_number": _wrong(
        "nms_score_threshold is no number", nms_score_threshold=float("nan")
    ),
    "scale_of_zero": _wrong("h_scale is 0, expected a finite number other than 0", h_scale=0.0),
    "scale_infinite": _wrong(
        "w_scale is inf, expected a finite number other than 0", w_scale=float("inf")
    ),
    "three_coordinates": _wrong(
        "box encodings tensor #0 'encodings' has shape [1, 12, 3], expected a batch of 1 and at "
        "least 4 coordinates",
        coordinates=3,
    ),
    "two_classes_more": _wrong(
        "class predictions tensor #1 'predictions' has shape [1, 12, 5], expected [1, 12, 3], or "
        "one class more, the background",
        background=2,
    ),
    "anchors_of_another_count": _wrong(
        "anchors tensor #2 'anchors' has shape [11, 4], expected [12, 4]", anchors=anchors_of(11)
    ),
    "anchor_of_size_0": _wrong(_ANCHOR, anchors=_bad_anchor(0)),
    "anchor_infinite": _wrong(_ANCHOR, anchors=_bad_anchor(np.inf)),
    "batch": Rejected(
        with_tensor(with_tensor(detector(), 0, shape=(2, 12, 4)), 1, shape=(1, 12, 4)),
        (
            "box encodings tensor #0 'encodings' has shape [2, 12, 4], expected a batch of 1 and "
            "at least 4 coordinates",
        ),
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> Case:
    """Any numbers; fast ones have room for no more boxes than there are."""
    boxes, is_regular = draw(st.integers(1, 30)), draw(st.booleans())
    most = draw(st.integers(1, 40 if is_regular else boxes))
    model = detector(
        boxes,
        background=draw(st.integers(0, 1)),
        max_detections=most,
        num_classes=draw(st.integers(1, 5)),
        use_regular_nms=is_regular,
        detections_per_class=draw(st.integers(1, 40)),
        nms_iou_threshold=draw(st.sampled_from((0.3, 0.6, 1.0))) if is_regular else 1.0,
        nms_score_threshold=draw(st.sampled_from((-1.0, 0.5))) if is_regular else -1.0,
        y_scale=draw(st.sampled_from((10.0, 3.0))),
        h_scale=draw(st.sampled_from((5.0, 2.7))),
    )
    return _case(model, seed=draw(st.integers(0, 99)), levels=draw(st.sampled_from((0, 2, 5))))


MODELS = _models()
