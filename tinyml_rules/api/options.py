"""The options of the functions, with the types of their values.

As generate/python_options.py writes them: do not edit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Literal, TypedDict


class CompileOptions(TypedDict, total=False):
    """Options of a compilation, by name; each may be left out."""

    optimize: Literal["size", "balanced", "speed", "layers"]
    """how the code is optimized:
    - `size`: for size, and slower: layers share plain kernels, and the C compiler optimizes for
      size
    - `balanced` (default): for speed where the part's flash has room for that
    - `speed`: for speed, with more flash and stack
    - `layers`: as balanced, but layers between single 8-bit values stay layers instead of becoming
      a table of 256 bytes; to measure single layers
    """
    kernel: Mapping[int, str] | Mapping[str, str] | Sequence[str]
    """the kernel of a node, which is given by its number in a profile; `tune` finds the fastest"""
    constant_time: bool
    """no branches that depend on data in convolutions on AVR with a multiplier, where results are
    not below the zero point, and in convolutions and dense layers on RISC-V; `wcet` shows what is
    left
    """
    schedule: Literal["auto", "layer", "stream"]
    """which layers are computed row by row together, so that tensors between them are never stored
    as a whole:
    - `auto` (default): where that saves RAM
    - `layer`: none
    - `stream`: wherever it is possible
    """
    ram: int | str
    """the model's RAM (its arena, and a page of external weights), or a limit of it in bytes, which
    as few layers as possible run row by row to stay within:
    - `fastest` (default): nothing is computed again, unless the part has too little RAM for that
    - `least`: the least, even if much is computed again
    """
    push_rows: bool
    """take the input one row at a time, so that it is never in RAM as a whole"""
    slide: int
    """with push_rows: the rows of the input are a stream, and a window begins with every ROWS-th of
    them; rows that windows share are computed once
    """
    arena: Literal["static", "caller", "shared"]
    """where the arena is:
    - `static` (default): an array of the model's own
    - `caller`: memory that the caller passes to every function
    - `shared`: one array for all models of a program
    """
    place: Mapping[int, str] | Mapping[str, str] | Sequence[str]
    """put a tensor, given by its number or name, into another memory region of the target"""
    weights: Literal["flash", "packed", "external", "partition"]
    """where the weights are:
    - `flash` (default): in flash, with the code
    - `packed`: in flash, compressed without loss where that pays; dense layers only
    - `external`: in a file, NAME.weights.bin, which the firmware reads
    - `partition`: everything that training changes is put into its own section, so that the
      firmware can swap in a newly trained model
    """
    page: int | str
    """how many bytes of external weights are read at a time (default: 64)"""
    model_version: int | str
    """the version number in the image of weights=partition, which the firmware can compare
    (default: 1)
    """
    signature: Literal["none", "hmac", "ed25519"]
    """what an image of weights=partition has to be signed by, or the firmware does not use it:
    - `none` (default): nothing: a CRC-32 finds accidents
    - `hmac`: HMAC-SHA256, which the generated C computes, with a key of NAME_key()
    - `ed25519`: Ed25519, which your NAME_verify() checks
    """
    sensor: str | PathLike[str]
    """a file that describes the raw values of a sensor, and the decisions to make from outputs"""
    slices: bool
    """add a function NAME_invoke_slice(n), which runs at most n layers or rows of an inference and
    returns whether more is left
    """
    partition: bool
    """add functions over whole tensors of real numbers: NAME_quantize_inputs, NAME_quantized_main,
    NAME_dequantize_outputs, and NAME_predict, which calls all three; fail if the model computes in
    floating point between its ends
    """
    rounding: Literal["tflm", "litert"]
    """whose reference kernels the results equal, byte for byte, where the two differ:
    - `tflm` (default): those of TFLM
    - `litert`: those of LiteRT (BUILTIN_REF), which are not what its default interpreter runs on a
      desktop
    """
    dequantize: bool
    """compile layers of float32 with weights of int8 or float16 as they are, in floating point:
    int8 weights stay in flash and are widened where they are used
    """
    operators: str | PathLike[str] | Sequence[str | PathLike[str]]
    """operators of your own: the folder of one, or a folder of such folders"""
    hooks: bool
    """call your macros NAME_NODE_BEGIN and NAME_NODE_END, which NAME_hooks.h defines, before and
    after each node
    """
    selftest: bool
    """add a function NAME_selftest, which checks that all constants, and the outputs for a
    generated input, are what the compiler expects
    """
    dump: bool
    """add functions NAME_dump_inputs and NAME_dump_outputs, which print an inference as text that
    `replay` reads
    """
    loop_limits: bool
    """say of loops whose count depends on data how often they run at most, outside of what is
    loaded: `wcet` reads it from your firmware
    """
    checked: bool
    """for tests, and slow: overwrite bytes of the arena that are no longer needed, so that a
    mistake of the memory plan changes the outputs
    """
    max_flash: int | str
    """fail if flash exceeds this many bytes: before linking those of the constants, after linking
    those of the whole image
    """
    max_ram: int | str
    """fail if RAM exceeds this many bytes: before linking those of the model, after linking those
    of all variables and the worst-case stack
    """
    max_arena: int | str
    """fail if the model's arena exceeds this many bytes"""
    max_stack: int | str
    """fail if the firmware's worst-case stack exceeds this many bytes"""
    max_cycles: int
    """fail if one inference takes more cycles, which are estimated where the emulator counts
    instructions, or may take more by the bound of `wcet`, where there is one
    """
    max_instructions: int
    """fail if one inference takes more instructions"""
    max_energy: float | str
    """fail if one inference takes more energy, which is estimated from the typical current in the
    target's [power]; such as 10 uJ or 2.5 mJ, without a unit in microjoules
    """


class QuantizeOptions(TypedDict, total=False):
    """Options of a quantization, by name; each may be left out."""

    sensor: str | PathLike[str]
    """a file that describes the raw values of a sensor; samples of whole numbers are such values"""
    signature: str
    """the signature whose function is quantized, of a file with several (default: that of the first
    graph)
    """
    scales: Literal["free", "power-of-two"]
    """which scales tensors may have:
    - `free` (default): any
    - `power-of-two`: only such that requantizing is a shift
    """
    activations: Literal["8", "16"]
    """bits of inputs, outputs and all that is computed:
    - `8` (default): int8
    - `16`: int16, with weights of int8
    """
    int16: str
    """tensors that are int16 in a model of int8, by name, with commas between several; the
    operators that make and read them compute with int16
    """
    flash: int | str
    """most bytes of constants of the compiled model: weights become int4 in the layers that lose
    least for each byte, and in no more than it takes (for a target: what its flash has room for)
    """
    full_integer: bool
    """refuse operators that would stay float32"""
