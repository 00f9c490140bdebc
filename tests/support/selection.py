"""Which of the collected tests run: the quick ones, or a shard of them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from requirements.checks import QUICK_TARGETS
from tests.support.combined import SANITIZED
from tinyml_rules.target.target import target_names

FULL = (
    "tests/api/test_notebook.py",
    "tests/arena/test_threads.py::test_races",
    "tests/bazel",
    "tests/benchmarks",
    "tests/commands/test_completion.py",
    "tests/commands/test_completion_of_wheel.py",
    "tests/commands/test_diff.py::test_hostile_names",
    "tests/compare/test_tensors.py::test_graphs_that_nodes_run",
    "tests/docs/test_budgets_page.py",
    "tests/docs/test_first_firmware.py",
    "tests/docs/test_measured_tables.py",
    "tests/docs/test_own_target.py",
    "tests/docs/test_pages.py",
    "tests/docs/test_powers_of_two.py",
    "tests/docs/test_site.py",
    "tests/docs/test_tutorials.py",
    "tests/editors/test_vscode.py",
    "tests/emit/test_bare_flags.py",
    "tests/emit/test_c_dialects.py",
    "tests/emit/test_determinism.py::test_across_processes",
    "tests/emit/test_float_flags.py",
    "tests/emit/test_made_for.py",
    "tests/emit/test_optimization_levels.py",
    "tests/emit/test_unaligned.py",
    "tests/examples",
    "tests/exchange/test_ed25519_on_a_part.py::test_a_library_on_avr",
    "tests/firmware/test_esp_image.py",
    "tests/firmware/test_interrupts.py::test_a_fault_handler_on_xtensa",
    "tests/firmware/test_interrupts.py::test_a_table_of_jumps_of_risc_v",
    "tests/firmware/test_interrupts.py::test_a_trap_of_risc_v",
    "tests/firmware/test_interrupts.py::test_a_trap_that_lets_interrupts_in",
    "tests/firmware/test_switches.py",
    "tests/frontends",
    "tests/fuzz/test_fuzz.py::test_image",
    "tests/fuzz/test_fuzz.py::test_worker",
    "tests/graphs",
    "tests/microphone/test_features.py::test_options",
    "tests/microphone/test_features.py::test_parts[riscv32imc",
    "tests/microphone/test_models.py::test_every_way",
    "tests/microphone/test_page.py",
    "tests/model_file/test_malformed.py",
    "tests/ops/test_cases.py::test_c[atmega1284p",
    "tests/ops/test_cases.py::test_c[nrf52840",
    "tests/ops/test_coarse_sums.py",
    "tests/ops/test_depthwise_along_row.py",
    "tests/ops/test_depthwise_along_row_of_bytes.py",
    "tests/ops/test_depthwise_planes.py",
    "tests/ops/test_image_streams.py",
    "tests/ops/test_overflow.py",
    "tests/ops/test_random_models.py",
    "tests/ops/test_real_fours.py",
    "tests/ops/test_row_pieces.py",
    "tests/ops/test_shifts.py",
    "tests/ops/test_unsigned_pairs.py",
    "tests/ops/test_vector_values.py",
    "tests/ops/test_weight_pairs.py",
    "tests/ops/test_weight_vectors.py",
    "tests/ops/test_window_shapes.py",
    "tests/package/test_package.py::test_check_of_the_processor_of_the_host",
    "tests/package/test_package_arduino.py",
    "tests/package/test_package_c.py",
    "tests/package/test_package_cmsis.py",
    "tests/package/test_package_esp_idf.py",
    "tests/package/test_package_rust.py",
    "tests/package/test_package_zephyr.py",
    "tests/package/test_rust_crate.py",
    "tests/package/test_rust_firmware.py",
    "tests/package/test_rust_page.py",
    "tests/pairs",
    "tests/passes/test_keep_windows.py::test_frames[okay_nabu",
    "tests/passes/test_uint8_as_int8.py::test_networks_in_c[atmega1284p",
    "tests/passes/test_uint8_as_int8.py::test_networks_in_c[nrf52840",
    "tests/passes/test_widen_weights.py::test_c[atmega1284p",
    "tests/passes/test_widen_weights.py::test_c[nrf52840",
    "tests/plan/test_large.py",
    "tests/plan/test_random_chains.py",
    "tests/plan/test_zoo_checked.py",
    "tests/projects/test_commands.py",
    "tests/projects/test_init.py::test_inputs_of_every_type",
    "tests/proofs/test_proofs.py",
    "tests/proofs/test_taken.py",
    "tests/quantizer/test_quality.py",
    "tests/raw_to_decision",
    "tests/regression/test_regressions.py::test_steps[division_has_a_bound]",
    "tests/regression/test_regressions.py::test_steps[sensor_line_leaves_int32]",
    "tests/report_page/test_in_browser.py",
    "tests/runners/test_device_profile.py::test_rows_that_take_turns_add_up",
    "tests/runners/test_second_emulators.py",
    "tests/runners/test_simavr_skips.py",
    "tests/setup",
    "tests/slide/test_speech_on_parts.py",
    "tests/slide/test_windows.py",
    "tests/targets/test_twins.py::test_a_gd32vf103_begins_where_it_was_linked_for",
    "tests/targets/test_twins.py::test_an_esp32c3_has_no_page_of_code_and_constants",
    "tests/targets/test_xtensa.py",
    "tests/test_conformance_verb.py",
    "tests/ways_in",
    "tests/web",
    "tests/weights/test_external.py",
)
"""Folders, modules and tests that `./tinyml check full` alone runs: they start many programs, or
need tools that the quick tests do without."""
ONE_BUILD_EACH = (
    "tests/frontends/test_example_builds.py::test_firmware[cmake]",
    "tests/frontends/test_example_builds.py::test_firmware[make]",
    "tests/frontends/test_example_builds.py::test_firmware[meson]",
    "tests/frontends/test_platformio.py::test_node[script]",
    "tests/frontends/test_rtthread.py::test_command",
    "tests/frontends/test_scons_project.py::test_firmware[host]",
    "tests/frontends/test_wheel.py::test_compile",
)
"""Of the front ends, what is quick nevertheless."""
_MODULES_PER_SHARD = 4
"""Fewer than so many, as in the long run of random models, and single tests are dealt out."""
_OTHER_TARGETS = frozenset(target_names()) - {*QUICK_TARGETS, SANITIZED}


def is_quick(test: pytest.Item) -> bool:
    """Whether a test is none of those above, and none of its parameters is a target that the quick
    tests have no tools for."""
    if any(test.nodeid == each or test.nodeid.startswith(_below(each)) for each in FULL):
        return test.nodeid in ONE_BUILD_EACH
    call = getattr(test, "callspec", None)
    return call is None or not any(
        isinstance(value, str) and value in _OTHER_TARGETS for value in call.params.values()
    )


def _below(place: str) -> tuple[str, ...]:
    """How the ids of the tests in a folder or a module begin, or of one test with parameters, or
    with a first parameter."""
    return (f"{place}/", f"{place}::", f"{place}[", f"{place}-")


def share_of(tests: Sequence[str], number: int, count: int) -> set[str]:
    """Shard `number` of `count` of tests by their ids: whole modules, so that what one prepares is
    prepared once, or every `count`-th test where there are few modules."""
    modules: dict[str, list[str]] = {}
    for test in tests:
        modules.setdefault(test.partition("::")[0], []).append(test)
    if len(modules) < _MODULES_PER_SHARD * count:
        return set(tests[number - 1 :: count])
    shards: list[list[str]] = [[] for _ in range(count)]
    for _, found in sorted(modules.items(), key=lambda each: (-len(each[1]), each[0])):
        min(shards, key=len).extend(found)
    return set(shards[number - 1])
