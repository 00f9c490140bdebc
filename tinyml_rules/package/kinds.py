"""Every kind of package that there is."""

from __future__ import annotations

from tinyml_rules.errors import UsageError, did_you_mean
from tinyml_rules.package import arduino, cmsis_pack, esp_idf, plain_c, rust, zephyr
from tinyml_rules.package.kind import Kind

KINDS: dict[str, Kind] = {
    "arduino": arduino.KIND,
    "esp-idf": esp_idf.KIND,
    "zephyr": zephyr.KIND,
    "cmsis-pack": cmsis_pack.KIND,
    "rust": rust.KIND,
    "c": plain_c.KIND,
}


def kind_of(word: str) -> Kind:
    """The kind that a word names; UsageError for an unknown one."""
    if word not in KINDS:
        what = f"unknown '{word}', expected one of {', '.join(KINDS)}"
        raise UsageError.at("package", what, hint=did_you_mean(word, KINDS))
    return KINDS[word]
