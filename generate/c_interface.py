"""Every name that a generated header can have, for its page; a test compares with headers.

A model called `my` has `my_` and `MY_` in front.  Of several inputs or outputs each has the name
of its tensor behind `input` or `output`.
"""

from __future__ import annotations

from collections.abc import Mapping

from tinyml_rules.reporting.rows import Rows

_ALWAYS = {
    "MY_ARENA_BYTES": "bytes of the buffer for activations",
    "my_input": "`T *my_input(void)`: where the values of the input go; fill all of them before "
    "each inference",
    "MY_INPUT_COUNT": "how many values that are",
    "MY_INPUT_SCALE": "real = scale * (q - zero point), of a quantized input",
    "MY_INPUT_ZERO_POINT": "as there",
    "my_quantize_input": "`T my_quantize_input(float real)`: the nearest value, ties away from "
    "zero, clamped; inline",
    "my_invoke": "`void my_invoke(void)`: one inference; of a model that may end early `bool`, "
    "true where the outputs are new",
    "my_output": "`const T *my_output(void)`: the output, until an input is filled",
    "MY_OUTPUT_COUNT": "how many values it has",
    "MY_OUTPUT_SCALE": "as for inputs",
    "MY_OUTPUT_ZERO_POINT": "as for inputs",
    "my_dequantize_output": "`float my_dequantize_output(T q)`: the real number of a value; inline",
    "my_reset": "`void my_reset(void)`: of a model with variables: they get their initial values; "
    "with `slices`: drops an inference that was begun; with events: forgets the results so far",
}
_OPTIONS = {
    "my_push_row": "`push_rows`: `void my_push_row(const T *row)`: the next row of the input; "
    "after the last one the output is there",
    "MY_ROWS_EXPECTED": "`push_rows`: rows of an inference",
    "MY_ROW_BYTES": "`push_rows`: bytes of a row",
    "MY_SLIDE": "`slide`: with how many rows after the last a window begins; `my_push_row` is then "
    "a `bool`, true where the output is new, and `my_reset` begins a stream",
    "my_begin": "`push_rows` with an arena that is shared or the caller's: `void "
    "my_begin(void)`, before the first row",
    "my_invoke_slice": "`slices`: `bool my_invoke_slice(int n)`: at most n layers or rows of an "
    "inference; whether more is left",
    "my_has_outputs": "`slices`, of a model that may end early: `bool my_has_outputs(void)`: "
    "whether the inference that ended last gave outputs",
    "tinyml_read": "`weights=external`: `void tinyml_read(uint32_t offset, void *buffer, "
    "uint16_t size)`, a function of yours that copies from where the file of weights lies",
    "MY_WEIGHTS_BYTES": "`weights=external`: size of the file",
    "MY_WEIGHTS_START": "`weights=external`: where it begins in that memory; yours to define, "
    "else 0",
    "MY_PAGE_BYTES": "`weights=external`: the most that is read at a time",
    "my_quantize_inputs": "`partition`: `void my_quantize_inputs(const float *input)`: fills all "
    "inputs; inline",
    "my_quantized_main": "`partition`: `my_invoke` by the name of its part; inline",
    "my_dequantize_outputs": "`partition`: `void my_dequantize_outputs(float *output)`; inline",
    "my_predict": "`partition`: `void my_predict(const float *input, float *output)`: the three; "
    "inline",
    "my_use": "`weights=partition`: `int my_use(const void *image)`: another model's numbers; "
    "what came of it, one of the next",
    "MY_USE_DONE": "`weights=partition`: it is in use",
    "MY_USE_NO_IMAGE": "`weights=partition`: there is no image",
    "MY_USE_OTHER_LAYOUT": "`weights=partition`: it is for other code",
    "MY_USE_DAMAGED": "`weights=partition`: its CRC-32 does not match",
    "MY_USE_WRONG_ADDRESS": "`weights=partition`: the address is null or not a multiple of 16",
    "my_check": "`weights=partition`: `int my_check(const void *image)`: the same without a change",
    "my_version": "`weights=partition`: `uint32_t my_version(const void *image)`: its "
    "`model_version`",
    "my_image": "`weights=partition`: the image that was compiled",
    "MY_IMAGE_BYTES": "`weights=partition`: size of every image of this layout, and the most that "
    "`my_check` and `my_use` read",
    "MY_SIGNATURE_BYTES": "`signature`: how many of these, at the end, are the signature",
    "MY_USE_NOT_SIGNED": "`signature`: it is signed by another key, or was changed after that",
    "MY_USE_OLDER": "`signature`: its version is below `my_least_version()`",
    "MY_USE_UNKNOWN_KEY": "`signature=hmac`: `my_key` has no key of its number",
    "my_least_version": "`signature`: `uint32_t my_least_version(void)`, a function of yours: the "
    "least version that may be used, from memory that only counts up",
    "my_key": "`signature=hmac`: `bool my_key(uint32_t number, uint8_t *key)`, a function of "
    "yours: writes the 32 bytes of a key; false where there is none",
    "my_verify": "`signature=ed25519`: `bool my_verify(uint32_t number, const void *image, "
    "uint32_t bytes, const void *signature)`, a function of yours: whether the signature of these "
    "bytes is right",
    "my_ports": "`weights=partition`: scales and zero points in use, of inputs, then of outputs",
    "my_port": "`weights=partition`: the struct of one of them",
    "my_selftest": "`selftest`: `int my_selftest(void)`: whether the model is intact, one of the "
    "next",
    "MY_SELFTEST_PASSED": "`selftest`: it is",
    "MY_SELFTEST_CONSTANTS": "`selftest`: constants in flash are others",
    "MY_SELFTEST_WEIGHTS": "`selftest`: the file of weights is another one",
    "MY_SELFTEST_INFERENCE": "`selftest`: an inference gave something else",
    "MY_SELFTEST_STACK": "`selftest`: on AVR, the stack has grown beyond its end",
    "my_dump_inputs": "`dump`: `void my_dump_inputs(void (*put)(char letter))`: prints the inputs",
    "my_dump_outputs": "`dump`: `void my_dump_outputs(void (*put)(char letter))`: prints the "
    "outputs",
    "my_dump_row": "`dump` with `push_rows`: `void my_dump_row(int number, const T *row, void "
    "(*put)(char letter))`: prints a row that you push",
    "MY_NODES": "`hooks`: nodes are numbered below it",
    "my_profile_begin": "`hooks`: `void my_profile_begin(void)`: starts the counter of a profile",
    "my_profile_print": "`hooks`: `void my_profile_print(void)`: prints what each node took",
}
_SENSOR = {
    "my_put_raw": "`void my_put_raw(const void *raw)`: takes raw values of the sensor",
    "MY_PUT_RAW_BYTES": "how many bytes it takes",
    "my_push_raw_row": "with `push_rows`: pushes a row of raw values",
    "MY_PUSH_RAW_ROW_BYTES": "how many bytes it takes",
    "MY_CLASSES": "of an output with labels: how many",
    "MY_CLASS_…": "the number of each class",
    "my_labels": "their names, in UTF-8",
    "MY_LABEL_BYTES": "bytes of the longest with a zero behind it",
    "my_copy_label": "`void my_copy_label(int index, char *text)`",
    "my_decide": "`int my_decide(void)`: the class with the largest value, the first of equals",
    "my_top_k": "`void my_top_k(int16_t *classes)`: those with the largest values",
    "MY_TOP_K": "how many these are",
    "my_event": "`int my_event(void)`: takes in the output, and returns the class that was just "
    "recognised, or -1",
    "my_fixed_point": "`int32_t my_fixed_point(int index)`: a value's real number in fixed point",
    "my_score": "`int32_t my_score(void)`: the mean squared difference of two tensors, in fixed "
    "point",
    "MY_FRACTION_BITS": "bits behind the point",
    "my_reaches_threshold": "`bool my_reaches_threshold(int index)`: whether a value does",
    "my_is_…": "the same of each class with a label; inline",
}
SECTIONS: Mapping[str, Mapping[str, str]] = {
    "Of every model": _ALWAYS,
    "With an option": _OPTIONS,
    "With a description of sensors and decisions": _SENSOR,
}


def name_rows(section: str) -> Rows:
    """The table of one of the sections."""
    return [{"name": f"`{name}`", "meaning": what} for name, what in SECTIONS[section].items()]
