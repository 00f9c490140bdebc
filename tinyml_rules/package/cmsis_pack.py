"""A CMSIS-Pack: https://open-cmsis-pack.github.io/Open-CMSIS-Pack-Spec, as .pack and as folder."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Sequence

from tinyml_rules.compiler import Compiled
from tinyml_rules.errors import UsageError
from tinyml_rules.ir.features import Feature, Need
from tinyml_rules.package.kind import Files, Kind, of_target
from tinyml_rules.package.model_files import example, model_files, sources
from tinyml_rules.package.order import Order
from tinyml_rules.package.render import render

_SMALL = ("Cortex-M0", "Cortex-M0+", "Cortex-M1", "Cortex-M3", "Cortex-M23")
_ALWAYS_DSP = ("Cortex-M4", "Cortex-M7", "Cortex-M55", "Cortex-M85")
_MAYBE_DSP = ("Cortex-M33", "Cortex-M35P")
_MAYBE_MVE = ("Cortex-M55", "Cortex-M85")

_VENDOR = re.compile(r"[-_A-Za-z0-9]+")
_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The first date that a zip file can hold: a package knows no clock."""


def accepted_cores(needs: Sequence[Need]) -> list[dict[str, str]]:
    """The processors that have what the C needs, as attributes of the pack's condition."""
    if Feature.MVE.need in needs:
        return [{"Dcore": core, "Dmve": mve} for core in _MAYBE_MVE for mve in ("MVE", "FP_MVE")]
    if Feature.DSP.need in needs:
        optional = [{"Dcore": core, "Ddsp": "DSP"} for core in _MAYBE_DSP]
        return [*({"Dcore": core} for core in _ALWAYS_DSP), *optional]
    return [{"Dcore": core} for core in (*_SMALL, *_ALWAYS_DSP, *_MAYBE_DSP)]


def _check(order: Order) -> None:
    of_target(order.target, {"cortex_m": ()}, ecosystem="CMSIS")
    if not _VENDOR.fullmatch(order.label.author):
        what = (
            f"'{order.label.author}' is not a valid vendor of a pack, expected letters, digits, - "
            "and _"
        )
        raise UsageError.at("author", what)


def _files(order: Order, compiled: Compiled) -> Files:
    label = order.label
    files = model_files(order, compiled, readme="cmsis_pack/readme.md.j2")
    files["examples/main.c"] = example(order, compiled)
    pack = f"{label.author}.{order.name}"
    words = {"cores": accepted_cores(compiled.needs), "sources": sources(order)}
    files[f"{pack}.pdsc"] = render("cmsis_pack/pdsc.j2", order, compiled, **words)
    return {**files, f"{pack}.{label.version}.pack": _zipped(files)}


def _zipped(files: Files) -> bytes:
    """A reproducible archive: not compressed, because versions of zlib give different bytes."""
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w") as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.create_system = 3
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, files[name])
    return output.getvalue()


KIND = Kind("CMSIS-Pack", _check, _files)
