"""What a compiled model hands to the rules that depend on it."""

TinymlInfo = provider(
    doc = "A model compiled into C.",
    fields = {
        "header": "File: <prefix>.h, what the firmware includes.",
        "picture": "File: <prefix>.memory.svg, the memory plan.",
        "prefix": "string: the beginning of every C symbol.",
        "report": "File: <prefix>.report.json, the compiler's figures.",
        "source": "File: <prefix>.c.",
        "target": "string: the name of the target that it was compiled for.",
        "weights": "File: <prefix>.weights.bin where the weights are external, else None.",
    },
)
