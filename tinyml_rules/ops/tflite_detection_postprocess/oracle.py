"""TFLite_Detection_PostProcess in numpy: boxes in double, all else in float32."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops.tflite_detection_postprocess.op import Attrs

Reals = npt.NDArray[np.float32]
Detection = tuple[np.float32, int, int]
"""Score, class, number of the box."""


def oracle(view: NodeView, values: Mapping[int, Array]) -> tuple[Array, ...]:
    """Boxes, classes, scores and their number, with zeros after the last."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    encodings, predictions, anchors = (
        values[view[name].index].astype(np.float32)
        for name in ("box encodings", "class predictions", "anchors")
    )
    with np.errstate(all="ignore"):
        boxes = _decoded(encodings[0], anchors, attrs)
        scores = predictions[0][:, predictions.shape[2] - attrs.num_classes :]
        choose = _best_of_classes if attrs.use_regular_nms else _best_of_boxes
        found = choose(boxes, scores, attrs)
    shapes = [tensor.shape for tensor in view.outputs]
    made = [np.zeros(math.prod(shape), np.float32) for shape in shapes]
    for place, (score, label, number) in enumerate(found):
        made[0][4 * place : 4 * place + 4] = boxes[number]
        made[1][place], made[2][place] = label, score
    made[3][0] = len(found)
    return tuple(each.reshape(shape) for each, shape in zip(made, shapes, strict=True))


def _decoded(encodings: Reals, anchors: Reals, attrs: Attrs) -> Reals:
    """Each box: its least y and x, then its greatest."""
    y, x, h, w = encodings[:, :4].T.astype(np.float64)
    at_y, at_x, height, width = anchors.T.astype(np.float64)
    scales = (attrs.y_scale, attrs.x_scale, attrs.h_scale, attrs.w_scale)
    down, across, tall, wide = (np.float64(np.float32(each)) for each in scales)
    centres = (y / down * height + at_y, x / across * width + at_x)
    halves = (0.5 * _exp(h / tall) * height, 0.5 * _exp(w / wide) * width)
    one, other = (
        (centre.astype(np.float32), half.astype(np.float32))
        for centre, half in zip(centres, halves, strict=True)
    )
    return np.stack([one[0] - one[1], other[0] - other[1], one[0] + one[1], other[0] + other[1]], 1)


def _exp(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """That of the C library."""
    return np.array([math.inf if each > 709 else math.exp(each) for each in values.tolist()])


def _best_of_boxes(boxes: Reals, scores: Reals, attrs: Attrs) -> list[Detection]:
    """The first class of the greatest score of each box."""
    labels = []
    for each in scores:
        label = 0
        for other in range(1, len(each)):
            label = other if each[label] < each[other] else label
        labels.append(label)
    best = scores[range(len(scores)), labels]
    chosen = _chosen(boxes, best, attrs.max_detections, attrs)
    return [(best[number], labels[number], number) for number in chosen]


def _best_of_classes(boxes: Reals, scores: Reals, attrs: Attrs) -> list[Detection]:
    """The best of all classes; of equal ones the first class's."""
    found: list[Detection] = []
    for label, own in enumerate(scores.T):
        chosen = _chosen(boxes, own, attrs.detections_per_class, attrs)
        found += [(own[number], label, number) for number in chosen]
        found = sorted(found, key=lambda each: -each[0])[: attrs.max_detections]
    return found


def _chosen(boxes: Reals, scores: Reals, most: int, attrs: Attrs) -> Sequence[int]:
    """The numbers of the best boxes that do not overlap, the best first."""
    (numbers,) = np.nonzero(scores >= np.float32(attrs.nms_score_threshold))
    chosen: list[int] = []
    for number in sorted(numbers.tolist(), key=lambda each: -scores[each]):
        if len(chosen) == most:
            break
        if not any(_overlap(boxes[each], boxes[number], attrs) for each in chosen):
            chosen.append(number)
    return chosen


def _overlap(first: Reals, second: Reals, attrs: Attrs) -> bool:
    """Whether their common area is too large a part of the area of both."""
    areas = [(bottom - top) * (right - left) for top, left, bottom, right in (first, second)]
    if areas[0] <= 0 or areas[1] <= 0:
        return False
    sides = []
    for low, high in ((0, 2), (1, 3)):
        begin = second[low] if first[low] < second[low] else first[low]
        end = second[high] if second[high] < first[high] else first[high]
        sides.append(np.float32(0) if end - begin < 0 else end - begin)
    common = sides[0] * sides[1]
    return bool(common / (areas[0] + areas[1] - common) > np.float32(attrs.nms_iou_threshold))
