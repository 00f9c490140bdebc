"""tinyml_library: a model as a dependency of any C or C++ rule."""

load("@rules_cc//cc:find_cc_toolchain.bzl", "find_cc_toolchain", "use_cc_toolchain")
load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load(":info.bzl", "TinymlInfo")
load(":model.bzl", "MODEL_ATTRS", "compile_model", "model_files", "with_options_file")
load(":toolchain.bzl", "TOOLCHAIN_TYPE")

def _tinyml_library_impl(ctx):
    info = compile_model(ctx)
    toolchain = find_cc_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    compilation, outputs = cc_common.compile(
        name = ctx.label.name,
        actions = ctx.actions,
        cc_toolchain = toolchain,
        feature_configuration = features,
        public_hdrs = [info.header],
        quote_includes = [info.header.dirname],
        srcs = [info.source],
        user_compile_flags = ctx.attr.copts,
    )
    linking, linked = cc_common.create_linking_context_from_compilation_outputs(
        name = ctx.label.name,
        actions = ctx.actions,
        cc_toolchain = toolchain,
        compilation_outputs = outputs,
        disallow_dynamic_library = True,
        feature_configuration = features,
    )
    library = linked.library_to_link
    archive = library.static_library or library.pic_static_library
    return [
        info,
        CcInfo(compilation_context = compilation, linking_context = linking),
        DefaultInfo(files = depset(model_files(info) + [archive])),
    ]

_tinyml_library = rule(
    implementation = _tinyml_library_impl,
    attrs = dict(
        MODEL_ATTRS,
        copts = attr.string_list(
            doc = "Further options for the C compiler.",
        ),
    ),
    doc = "Compiles a .tflite file as tinyml_model does, and its C with the C toolchain of the " +
          "build.  What depends on it includes `<prefix>.h`.",
    fragments = ["cpp"],
    provides = [CcInfo, TinymlInfo],
    toolchains = [TOOLCHAIN_TYPE] + use_cc_toolchain(),
)

def tinyml_library(name, src, **settings):
    """Compiles a .tflite file and its C: a dependency of any C or C++ rule.

    Args:
      name: of the target.
      src: the model.
      **settings: those of tinyml_model, and `copts`.
    """
    _tinyml_library(name = name, src = src, **with_options_file(src, settings))
