"""The toolchain of the rules: the compiler, and the target of a platform."""

TOOLCHAIN_TYPE = str(Label("//tinyml_rules:toolchain_type"))

TinymlToolchainInfo = provider(
    doc = "The compiler and the target that it compiles for.",
    fields = {
        "compiler": "FilesToRunProvider: compiles a model.",
        "linker": "FilesToRunProvider: links a model's test image.",
        "runner": "DefaultInfo: of the program that runs a test image and compares.",
        "target": "string: the name of the target.",
        "target_files": "depset of File: the folders of all targets.",
    },
)

def search_folder(file, path):
    """Where the folder of a target is found.

    Args:
      file: one of a target's files.
      path: its path, where it is looked for.

    Returns:
      The folder with the target's folder; None for another file than its `target.toml`.
    """
    if file.basename != "target.toml":
        return None
    return "/".join(path.split("/")[:-2]) or "."

def _search_folder(file):
    return search_folder(file, file.path)

def target_arguments(ctx, target, target_files):
    """The options that name a target and the folders in which it is found.

    Args:
      ctx: a rule's context.
      target: the target's name.
      target_files: depset of File, the folders of targets.

    Returns:
      Args.
    """
    args = ctx.actions.args()
    args.add("--target", target)
    args.add_all(
        target_files,
        before_each = "--targets",
        map_each = _search_folder,
        uniquify = True,
    )
    return args

def _tinyml_toolchain_impl(ctx):
    return [platform_common.ToolchainInfo(
        tinyml = TinymlToolchainInfo(
            compiler = ctx.attr.compiler[DefaultInfo].files_to_run,
            linker = ctx.attr.linker[DefaultInfo].files_to_run,
            runner = ctx.attr.runner[DefaultInfo],
            target = ctx.attr.target,
            target_files = depset(
                transitive = [files[DefaultInfo].files for files in ctx.attr.target_files],
            ),
        ),
    )]

tinyml_toolchain = rule(
    implementation = _tinyml_toolchain_impl,
    attrs = {
        "compiler": attr.label(
            cfg = "exec",
            default = Label("//tinyml_rules/frontends/bazel:compiler"),
            doc = "The program that compiles a model.",
            executable = True,
        ),
        "linker": attr.label(
            cfg = "exec",
            default = Label("//tinyml_rules/frontends/bazel:linker"),
            doc = "The program that links a model's test image.",
            executable = True,
        ),
        "runner": attr.label(
            cfg = "exec",
            default = Label("//tinyml_rules/frontends/bazel:runner"),
            doc = "The program that runs a test image on the target's emulator.",
            executable = True,
        ),
        "target": attr.string(
            doc = "The target that is compiled for: a folder's name.",
            mandatory = True,
        ),
        "target_files": attr.label_list(
            allow_files = True,
            default = [Label("//targets:files")],
            doc = "The folders of targets, a `target.toml` in each, in which `target` and its " +
                  "family are found.  For one of your own: its files, then the default.",
        ),
    },
    doc = "A target for the rules to compile for.  Register a `toolchain` of type " +
          "`@tinyml_rules//tinyml_rules:toolchain_type` around it.",
)
