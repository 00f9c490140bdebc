"""The rules.  This file only re-exports: each rule is a file in `frontends/bazel`."""

load("//tinyml_rules/frontends/bazel:info.bzl", _TinymlInfo = "TinymlInfo")
load("//tinyml_rules/frontends/bazel:library.bzl", _tinyml_library = "tinyml_library")
load("//tinyml_rules/frontends/bazel:model.bzl", _tinyml_model = "tinyml_model")
load("//tinyml_rules/frontends/bazel:quantize.bzl", _tinyml_quantize = "tinyml_quantize")
load("//tinyml_rules/frontends/bazel:test.bzl", _tinyml_test = "tinyml_test")
load("//tinyml_rules/frontends/bazel:toolchain.bzl", _tinyml_toolchain = "tinyml_toolchain")

TinymlInfo = _TinymlInfo
tinyml_library = _tinyml_library
tinyml_model = _tinyml_model
tinyml_quantize = _tinyml_quantize
tinyml_test = _tinyml_test
tinyml_toolchain = _tinyml_toolchain
