"""The options of each step, and the outputs of a compilation, as tinyml_rules/frontends/option_tables.py writes them: do not edit."""

OPTION_ATTRS = {
    "arena": attr.string(
        doc = "where the arena lives; `static` (default): an array of the model's own; `caller`: memory that every function is given; `shared`: one array for all models of a program",
        values = ["", "static", "caller", "shared"],
    ),
    "checked": attr.bool(
        doc = "for tests: overwrite dead bytes as the model runs, to find mistakes of the memory plan; slow",
    ),
    "dump": attr.bool(
        doc = "functions NAME_dump_inputs and NAME_dump_outputs in the header, which print an inference as text that `replay` reads",
    ),
    "hooks": attr.bool(
        doc = "call macros of yours before and behind each node, NAME_NODE_BEGIN and NAME_NODE_END of NAME_hooks.h",
    ),
    "kernel": attr.string_dict(
        doc = "nodes, by the number that a profile shows, with the kernel that each is to have; `tune` finds those that are fastest",
    ),
    "max_arena": attr.int(
        doc = "an error where more is taken than this budget for the model's arena",
    ),
    "max_cycles": attr.int(
        doc = "an error where more is taken than this budget for one inference, in cycles: counted, or estimated where the emulator counts instructions",
    ),
    "max_flash": attr.int(
        doc = "an error where more is taken than this budget for flash: constants before the link, all that is linked behind it",
    ),
    "max_instructions": attr.int(
        doc = "an error where more is taken than this budget for one inference, in instructions",
    ),
    "max_ram": attr.int(
        doc = "an error where more is taken than this budget for RAM: what the model brings before the link, all variables and the worst-case stack behind it",
    ),
    "max_stack": attr.int(
        doc = "an error where more is taken than this budget for the worst-case stack of a firmware",
    ),
    "model_version": attr.int(
        doc = "a number in the image of weights=partition, for the firmware to compare (default: 1)",
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
    "rounding": attr.string(
        doc = "whose reference kernels the results equal, byte for byte, where the two differ; `tflm` (default): those of TFLM; `litert`: those of LiteRT (BUILTIN_REF), which is not what its default interpreter runs on a desktop",
        values = ["", "tflm", "litert"],
    ),
    "schedule": attr.string(
        doc = "which layers run row by row together; `auto` (default): where that saves RAM; `layer`: none; `stream`: wherever it is possible",
        values = ["", "auto", "layer", "stream"],
    ),
    "selftest": attr.bool(
        doc = "a function NAME_selftest in the header, which compares all constants and an inference on generated input with what the compiler expects",
    ),
    "sensor": attr.label(
        allow_single_file = True,
        doc = "a file that describes the raw values of the sensor, and what is decided by the output",
    ),
    "weights": attr.string(
        doc = "where the weights lie; `flash` (default): beside the code; `packed`: there too, those of dense layers packed without loss where it pays; `external`: in NAME.weights.bin, which the firmware reads; `partition`: with all that training changes in a section of its own, which the firmware can exchange for that of another model",
        values = ["", "flash", "packed", "external", "partition"],
    ),
}

ACCURACY_ATTRS = {
    "accuracy_max_difference": attr.string(
        doc = "the most by which an output may differ from `expected`",
    ),
    "accuracy_min": attr.string(
        doc = "the least share of samples whose greatest output is that of their label, 0 to 1",
    ),
    "accuracy_min_sqnr": attr.string(
        doc = "the least ratio of `expected` to what the outputs differ from it, in dB",
    ),
    "accuracy_scores": attr.string(
        doc = "the output that `labels` or `expected` are of, where the model has several",
    ),
    "accuracy_threshold": attr.string(
        doc = "for a model with a single value as output: from there on it is class 1, below class 0 (default: 0.5)",
    ),
    "accuracy_vectors": attr.label(
        allow_single_file = True,
        doc = "a .npz of inputs by tensor name with `labels`, the number of each sample's class, and `names` of the classes, or with `expected`, the outputs in real numbers",
    ),
}

QUANTIZE_ATTRS = {
    "calibration": attr.label(
        allow_single_file = True,
        doc = "samples of the inputs: .npy for one input, .npz by tensor name for several, with a leading axis of samples; not needed if the model file has the range of every tensor",
    ),
    "full_integer": attr.bool(
        default = True,
        doc = "refuse operators that would stay float32",
    ),
    "scales": attr.string(
        doc = "which scales tensors may have; `free` (default): any; `power-of-two`: every factor of a requantization is one, so that it is a shift",
        values = ["", "free", "power-of-two"],
    ),
    "sensor": attr.label(
        allow_single_file = True,
        doc = "what raw values are: samples of whole numbers become the real ones that they mean",
    ),
    "validate": attr.label(
        allow_single_file = True,
        doc = "samples that judge every choice (default: a third of those of the calibration)",
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
