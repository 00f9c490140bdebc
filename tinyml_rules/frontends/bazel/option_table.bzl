"""The options and outputs of a compilation, as tinyml_rules/frontends/option_tables.py writes them: do not edit."""

OPTION_ATTRS = {
    "arena": attr.string(
        doc = "where the arena lives; `static` (default): an array of the model's own; `caller`: memory that every function is given; `shared`: one array for all models of a program",
        values = ["", "static", "caller", "shared"],
    ),
    "checked": attr.bool(
        doc = "for tests: overwrite dead bytes as the model runs, to find mistakes of the memory plan; slow",
    ),
    "hooks": attr.bool(
        doc = "call macros of yours before and behind each node, NAME_NODE_BEGIN and NAME_NODE_END of NAME_hooks.h",
    ),
    "kernel": attr.string_dict(
        doc = "nodes, by the number that a profile shows, with the kernel that each is to have; `tune` finds those that are fastest",
    ),
    "operators": attr.label_list(
        allow_files = True,
        doc = "operators of your own: a folder of one, or a folder of such folders",
    ),
    "optimize": attr.string(
        doc = "what the code is to be; `size`: small: plain kernels that layers share, and the C compiler told so; slower; `balanced` (default): fast, where that takes little flash; `speed`: as fast as possible; takes more flash, and more stack; `layers`: balanced, but no table of 256 bytes stands for layers between single 8-bit values, for whoever wants to measure them",
        values = ["", "size", "balanced", "speed", "layers"],
    ),
    "page": attr.int(
        doc = "bytes of external weights that are read at a time (default: 64)",
    ),
    "partition": attr.bool(
        doc = "functions over whole tensors of real numbers in the header: NAME_quantize_inputs, NAME_quantized_main, NAME_dequantize_outputs, and NAME_predict, which calls the three; an error where the model is not of integers between its ends",
    ),
    "place": attr.string_dict(
        doc = "tensors (number or name) that lie in a further memory region of the target",
    ),
    "push_rows": attr.bool(
        doc = "take the input a row at a time; it never lies in RAM as a whole",
    ),
    "ram": attr.int(
        doc = "a limit for the RAM of the model in bytes (its arena, and a page of external weights): the least streaming that keeps to it, not the least RAM",
    ),
    "schedule": attr.string(
        doc = "which layers run row by row together; `auto` (default): where that saves RAM; `layer`: none; `stream`: wherever it is possible",
        values = ["", "auto", "layer", "stream"],
    ),
    "sensor": attr.label(
        allow_single_file = True,
        doc = "a file that describes the raw values of the sensor, and what is decided by the output",
    ),
    "weights": attr.string(
        doc = "where the weights lie; `flash` (default): beside the code; `packed`: there too, those of dense layers packed without loss where it pays; `external`: in NAME.weights.bin, which the firmware reads",
        values = ["", "flash", "packed", "external"],
    ),
}

OUTPUTS = {
    "source": struct(
        doc = "the model in C",
        is_external = False,
        suffix = ".c",
    ),
    "header": struct(
        doc = "what the firmware includes",
        is_external = False,
        suffix = ".h",
    ),
    "report": struct(
        doc = "the compiler's figures",
        is_external = False,
        suffix = ".report.json",
    ),
    "picture": struct(
        doc = "the memory plan",
        is_external = False,
        suffix = ".memory.svg",
    ),
    "weights": struct(
        doc = "the weights, where they are external",
        is_external = True,
        suffix = ".weights.bin",
    ),
}
