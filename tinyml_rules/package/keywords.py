"""keywords.txt of an Arduino library: the words that the editor colours."""

from __future__ import annotations

from tinyml_rules.ir.interface import Interface, Port


def keywords(interface: Interface) -> str:
    """Lines of a word, a tab and what it is; the tab may not be blanks."""
    words = [f"{name}\tKEYWORD2" for name in _functions(interface)]
    words += [f"{name}\tLITERAL1" for name in _constants(interface)]
    return "\n".join(words) + "\n"


def _functions(interface: Interface) -> list[str]:
    """Every function of a model's header."""
    name = interface.name
    inputs = [] if interface.pushed_rows else [port.accessor for port in interface.inputs]
    begin = [f"{name}_reset"] if interface.has_variables else []
    begin += [f"{name}_begin"] if interface.has_begin else []
    conversions = [
        port.accessor.replace(f"{name}_", f"{name}_{verb}_", 1)
        for verb, ports in (("quantize", interface.inputs), ("dequantize", interface.outputs))
        for port in ports
        if port.is_quantized
    ]
    outputs = [port.accessor for port in interface.outputs]
    return [*inputs, *begin, interface.entry, *outputs, *conversions]


def _constants(interface: Interface) -> list[str]:
    """Every macro of a model's header but its guard."""
    macro = interface.name.upper()
    rows = [f"{macro}_ROWS_EXPECTED", f"{macro}_ROW_BYTES"] if interface.pushed_rows else []
    rows += [f"{macro}_SLIDE"] if interface.slide else []
    weights = [f"{macro}_{word}" for word in ("WEIGHTS_BYTES", "PAGE_BYTES", "WEIGHTS_START")]
    return [
        f"{macro}_ARENA_BYTES",
        *(weights if interface.has_external_weights else []),
        *(word for port in (*interface.inputs, *interface.outputs) for word in _of_port(port)),
        *rows,
    ]


def _of_port(port: Port) -> list[str]:
    words = ("COUNT", "SCALE", "ZERO_POINT") if port.is_quantized else ("COUNT",)
    return [f"{port.accessor.upper()}_{word}" for word in words]
