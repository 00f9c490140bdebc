"""What a compiled model hands to the rules that depend on it."""

load(":option_table.bzl", "OUTPUTS")

TinymlInfo = provider(
    doc = "A model compiled into C.",
    fields = dict(
        {
            role: "File: <prefix>{}: {}{}.".format(
                output.suffix,
                output.doc,
                ", else None" if output.is_external else "",
            )
            for role, output in OUTPUTS.items()
        },
        prefix = "string: the beginning of every C symbol.",
        target = "string: the name of the target that it was compiled for.",
    ),
)
