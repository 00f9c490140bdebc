"""Tables of today's figures beside those of the last release and of TFLM."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchmarks.layer_figures import LayerRow, by_layer
from benchmarks.matrix import Row
from benchmarks.release import Release
from benchmarks.tflm import Reference
from tinyml_rules.reporting.rows import Rows, plain


def zoo_rows(rows: Sequence[Row], release: Release, references: Sequence[Reference]) -> Rows:
    """Every pair that fits: its figures, and each as a multiple of the release's and of TFLM's.

    TFLM has all weights in flash, so that a row with weights elsewhere is not set beside it.
    """
    theirs = {(each.target, each.model): each for each in references}
    found: Rows = []
    for row in rows:
        if row.flash_bytes is None:
            continue
        old = release.pairs.get((row.target, row.model, row.settings))
        other = None if row.external_bytes else theirs.get((row.target, row.model))
        found.append(
            {
                "target": row.target,
                "model": row.model,
                "settings": row.settings,
                "flash (B)": row.flash_bytes,
                "flash of release": ratio(row.flash_bytes, getattr(old, "flash_bytes", None)),
                "flash of TFLM": ratio(row.flash_bytes, getattr(other, "flash_bytes", None)),
                "RAM (B)": row.ram_bytes,
                "RAM of release": ratio(row.ram_bytes, getattr(old, "ram_bytes", None)),
                "RAM of TFLM": ratio(row.ram_bytes, getattr(other, "ram_bytes", None)),
                "count": count_of(row),
                "count of release": ratio(count_of(row), count_of(old)),
                "count of TFLM": ratio(count_of(row), getattr(other, "instructions", None)),
                "estimated cycles": row.estimated_cycles,
            }
        )
    return found


def layer_rows(rows: Sequence[LayerRow], release: Release) -> Rows:
    """Every layer on every target: its figures, and two of them as a multiple of the release's."""
    before = by_layer(release.layers)
    found: Rows = []
    for row in rows:
        old = before.get((row.target, row.layer))
        found.append(
            {
                "target": row.target,
                "layer": row.layer,
                "unit": row.unit,
                "count": row.count,
                "per product or value": f"{row.per_unit_of_work:.2f}",
                "count of release": ratio(row.count, getattr(old, "count", None)),
                "estimated cycles": row.estimated_cycles,
                "flash (B)": row.flash_bytes,
                "flash of release": ratio(row.flash_bytes, getattr(old, "flash_bytes", None)),
                "RAM (B)": row.ram_bytes,
            }
        )
    return found


def layer_table(rows: Sequence[LayerRow], release: Release) -> Rows:
    """A row for each layer and a column for each target: the count for each product, or value,
    behind it the multiple of the release's where that is another one."""
    now, before = by_layer(rows), by_layer(release.layers)
    targets = list(dict.fromkeys(row.target for row in rows))
    return [
        {
            "layer": layer,
            **{
                target: _cell(now.get((target, layer)), before.get((target, layer)))
                for target in targets
            },
        }
        for layer in dict.fromkeys(row.layer for row in rows)
    ]


def _cell(row: LayerRow | None, old: LayerRow | None) -> str:
    if row is None:
        return ""
    change = "" if old is None or old.count == row.count else f" ({ratio(row.count, old.count)})"
    return f"{row.per_unit_of_work:.2f}{change}"


def means(
    rows: Sequence[Row], layers: Sequence[LayerRow], release: Release
) -> Iterator[dict[str, str | int | None]]:
    """A row for each target that counts: of the release's counts, what pairs and layers count now,
    as a geometric mean."""
    before, pairs = by_layer(release.layers), release.pairs
    of_pairs = [
        (row.target, count_of(row), count_of(pairs.get((row.target, row.model, row.settings))))
        for row in rows
    ]
    of_layers = [
        (row.target, row.count, before[row.target, row.layer].count)
        for row in layers
        if (row.target, row.layer) in before
    ]
    for target in dict.fromkeys(target for target, *_ in [*of_pairs, *of_layers]):
        found = (_mean(of_pairs, target), _mean(of_layers, target))
        if any(found):
            yield {"target": target, "models": found[0], "benchmark set": found[1]}


def _mean(pairs: Sequence[tuple[str, int | None, int | None]], target: str) -> str:
    ratios = [new / old for name, new, old in pairs if name == target and new and old]
    product = 1.0
    for each in ratios:
        product *= each ** (1 / len(ratios))
    return f"{product:.2f}" if ratios else ""


def count_of(row: Row | None) -> int | None:
    """Cycles where they are known, else instructions."""
    if row is None:
        return None
    return row.cycles if row.cycles is not None else row.instructions


def ratio(new: int | None, old: int | None) -> str:
    """How many times the old one, in digits; empty where one of them is not known."""
    return f"{new / old:.2f}" if new is not None and old else ""


def bench_text(
    rows: Sequence[Row],
    layers: Sequence[LayerRow],
    release: Release,
    references: Sequence[Reference],
) -> str:
    """All of it as columns of equal width; a part without rows is left out."""
    tables = (
        zoo_rows(rows, release, references),
        layer_rows(layers, release),
        list(means(rows, layers, release)),
    )
    titles = (
        "models",
        "benchmark set",
        f"counts as a multiple of the release {release.version}, geometric mean",
    )
    parts = (
        f"{title}\n{plain(table)}\n" for title, table in zip(titles, tables, strict=True) if table
    )
    return "\n".join(parts)
