"""The options of each step, and the outputs of a compilation, as generate/option_tables.py writes them: do not edit."""

OPTION_ATTRS = {
    "arena": attr.string(
        doc = "where the arena is:\n`static` (default): an array of the model's own\n`caller`: memory that the caller passes to every function\n`shared`: one array for all models of a program",
        values = ["", "static", "caller", "shared"],
    ),
    "checked": attr.bool(
        doc = "for tests, and slow: overwrite bytes of the arena that are no longer needed, so that a mistake of the memory plan changes the outputs",
    ),
    "constant_time": attr.bool(
        doc = "no branches that depend on data in convolutions on AVR with a multiplier, where results are not below the zero point, and in convolutions and dense layers on RISC-V; `wcet` shows what is left",
    ),
    "dequantize": attr.bool(
        doc = "compile layers of float32 with weights of int8 or float16 as they are, in floating point: int8 weights stay in flash and are widened where they are used",
    ),
    "dump": attr.bool(
        doc = "add functions NAME_dump_inputs and NAME_dump_outputs, which print an inference as text that `replay` reads",
    ),
    "hooks": attr.bool(
        doc = "call your macros NAME_NODE_BEGIN and NAME_NODE_END, which NAME_hooks.h defines, before and after each node",
    ),
    "kernel": attr.string_dict(
        doc = "the kernel of a node, which is given by its number in a profile; `tune` finds the fastest",
    ),
    "loop_limits": attr.bool(
        doc = "say of loops whose count depends on data how often they run at most, outside of what is loaded: `wcet` reads it from your firmware",
    ),
    "max_arena": attr.int(
        doc = "fail if the model's arena exceeds this many bytes",
    ),
    "max_cycles": attr.int(
        doc = "fail if one inference takes more cycles, which are estimated where the emulator counts instructions, or may take more by the bound of `wcet`, where there is one",
    ),
    "max_energy": attr.string(
        doc = "fail if one inference takes more energy, which is estimated from the typical current in the target's [power]; such as 10 uJ or 2.5 mJ, without a unit in microjoules",
    ),
    "max_flash": attr.int(
        doc = "fail if flash exceeds this many bytes: before linking those of the constants, after linking those of the whole image",
    ),
    "max_instructions": attr.int(
        doc = "fail if one inference takes more instructions",
    ),
    "max_ram": attr.int(
        doc = "fail if RAM exceeds this many bytes: before linking those of the model, after linking those of all variables and the worst-case stack",
    ),
    "max_stack": attr.int(
        doc = "fail if the firmware's worst-case stack exceeds this many bytes",
    ),
    "model_version": attr.int(
        doc = "the version number in the image of weights=partition, which the firmware can compare (default: 1)",
    ),
    "operators": attr.label_list(
        allow_files = True,
        doc = "operators of your own: the folder of one, or a folder of such folders",
    ),
    "optimize": attr.string(
        doc = "how the code is optimized:\n`size`: for size, and slower: layers share plain kernels, and the C compiler optimizes for size\n`balanced` (default): for speed where the part's flash has room for that\n`speed`: for speed, with more flash and stack\n`layers`: as balanced, but layers between single 8-bit values stay layers instead of becoming a table of 256 bytes; to measure single layers",
        values = ["", "size", "balanced", "speed", "layers"],
    ),
    "page": attr.int(
        doc = "how many bytes of external weights are read at a time (default: 64)",
    ),
    "partition": attr.bool(
        doc = "add functions over whole tensors of real numbers: NAME_quantize_inputs, NAME_quantized_main, NAME_dequantize_outputs, and NAME_predict, which calls all three; fail if the model computes in floating point between its ends",
    ),
    "place": attr.string_dict(
        doc = "put a tensor, given by its number or name, into another memory region of the target",
    ),
    "push_rows": attr.bool(
        doc = "take the input one row at a time, so that it is never in RAM as a whole",
    ),
    "ram": attr.string(
        doc = "the model's RAM (its arena, and a page of external weights), or a limit of it in bytes, which as few layers as possible run row by row to stay within:\n`fastest` (default): nothing is computed again, unless the part has too little RAM for that\n`least`: the least, even if much is computed again",
    ),
    "rounding": attr.string(
        doc = "whose reference kernels the results equal, byte for byte, where the two differ:\n`tflm` (default): those of TFLM\n`litert`: those of LiteRT (BUILTIN_REF), which are not what its default interpreter runs on a desktop",
        values = ["", "tflm", "litert"],
    ),
    "schedule": attr.string(
        doc = "which layers are computed row by row together, so that tensors between them are never stored as a whole:\n`auto` (default): where that saves RAM\n`layer`: none\n`stream`: wherever it is possible",
        values = ["", "auto", "layer", "stream"],
    ),
    "selftest": attr.bool(
        doc = "add a function NAME_selftest, which checks that all constants, and the outputs for a generated input, are what the compiler expects",
    ),
    "sensor": attr.label(
        allow_single_file = True,
        doc = "a file that describes the raw values of a sensor, and the decisions to make from outputs",
    ),
    "signature": attr.string(
        doc = "what an image of weights=partition has to be signed by, or the firmware does not use it:\n`none` (default): nothing: a CRC-32 finds accidents\n`hmac`: HMAC-SHA256, which the generated C computes, with a key of NAME_key()\n`ed25519`: Ed25519, which your NAME_verify() checks",
        values = ["", "none", "hmac", "ed25519"],
    ),
    "slices": attr.bool(
        doc = "add a function NAME_invoke_slice(n), which runs at most n layers or rows of an inference and returns whether more is left",
    ),
    "slide": attr.int(
        doc = "with push_rows: the rows of the input are a stream, and a window begins with every ROWS-th of them; rows that windows share are computed once",
    ),
    "weights": attr.string(
        doc = "where the weights are:\n`flash` (default): in flash, with the code\n`packed`: in flash, compressed without loss where that pays; dense layers only\n`external`: in a file, NAME.weights.bin, which the firmware reads\n`partition`: everything that training changes is put into its own section, so that the firmware can swap in a newly trained model",
        values = ["", "flash", "packed", "external", "partition"],
    ),
}

ACCURACY_ATTRS = {
    "accuracy_max_difference": attr.string(
        doc = "fail if an output differs by more from `expected`",
    ),
    "accuracy_min": attr.string(
        doc = "fail if the share of samples whose greatest output is that of their label is less, 0 to 1",
    ),
    "accuracy_min_sqnr": attr.string(
        doc = "fail if the ratio of `expected` to the error of the outputs is less, in dB",
    ),
    "accuracy_scores": attr.string(
        doc = "which output `labels` or `expected` are for, if the model has several",
    ),
    "accuracy_threshold": attr.string(
        doc = "for a model with one output value: values from this one on are class 1, others class 0 (default: 0.5)",
    ),
    "accuracy_vectors": attr.label(
        allow_single_file = True,
        doc = "labelled samples: a .npz with the inputs by tensor name, and either `labels` (the number of each sample's class) and `names` of the classes, or `expected` (the outputs in real numbers)",
    ),
}

QUANTIZE_ATTRS = {
    "activations": attr.string(
        doc = "bits of inputs, outputs and all that is computed:\n`8` (default): int8\n`16`: int16, with weights of int8",
        values = ["", "8", "16"],
    ),
    "calibration": attr.label(
        allow_single_file = True,
        doc = "samples of the inputs, as .npy for one input, or .npz by tensor name for several; the first axis counts samples; not needed if the model file has the range of every tensor",
    ),
    "flash": attr.int(
        doc = "most bytes of constants of the compiled model: weights become int4 in the layers that lose least for each byte, and in no more than it takes (for a target: what its flash has room for)",
    ),
    "full_integer": attr.bool(
        default = True,
        doc = "refuse operators that would stay float32",
    ),
    "int16": attr.string(
        doc = "tensors that are int16 in a model of int8, by name, with commas between several; the operators that make and read them compute with int16",
    ),
    "scales": attr.string(
        doc = "which scales tensors may have:\n`free` (default): any\n`power-of-two`: only such that requantizing is a shift",
        values = ["", "free", "power-of-two"],
    ),
    "sensor": attr.label(
        allow_single_file = True,
        doc = "a file that describes the raw values of a sensor; samples of whole numbers are such values",
    ),
    "signature": attr.string(
        doc = "the signature whose function is quantized, of a file with several (default: that of the first graph)",
    ),
    "validate": attr.label(
        allow_single_file = True,
        doc = "samples by which every choice is judged too, next to folds of the calibration samples",
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

MODEL_SUFFIXES = [".tflite", ".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".ino"]

AMOUNTS = ["max_energy", "ram"]
