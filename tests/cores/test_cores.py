"""Which core a part has is told by the cores themselves, whatever order they are found in."""

from __future__ import annotations

from itertools import permutations

import pytest

from tinyml_rules.cores import all_cores, core_of, cores_of, finish_of, group_of, qualifiers_of
from tinyml_rules.errors import TargetError
from tinyml_rules.ir.features import Feature
from tinyml_rules.target.target import load_target, target_names

CORE_OF_TARGETS = {
    "atmega328": "avr",
    "atsamv71": "dsp_dual_issue",
    "esp8266": "flash_words",
    "host": "plain64",
    "lm3s6965": "thumb_m3",
    "mps3_an547": "mve",
    "nrf51": "thumb_m0",
    "nrf52840": "dsp",
    "nrf5340_network": "thumb_m3",
    "riscv32imc": "riscv",
    "riscv32imcb": "riscv_b",
    "xtensa_lx6": "mac16",
}


def test_found() -> None:
    """Each is called like its folder, and prefers cores that there are."""
    assert len(all_cores()) >= len(CORE_OF_TARGETS)
    for name, core in all_cores().items():
        assert (core.name, core.folder.name) == (name, name)
        assert core.beats <= all_cores().keys() - {name}


@pytest.mark.parametrize("name", all_cores())
def test_beats_those_that_it_says(name: str) -> None:
    """And no others: of two that neither beats, no part is both."""
    core = all_cores()[name]
    for other in all_cores().values():
        if other.name == name:
            continue
        if name in other.beats:
            assert name not in core.beats
            continue
        both = core.needs | other.needs
        if other.name in core.beats:
            found = [each.name for each in cores_of(both)]
            assert found.index(name) < found.index(other.name)
        else:
            with pytest.raises(TargetError, match="expected those of one"):
                cores_of(both)


@pytest.mark.parametrize("name", target_names())
def test_target_has_one_core(name: str) -> None:
    """It beats all others that the target is, and those each other in turn."""
    target = load_target(name)
    found = cores_of(target.features)
    assert core_of(target.features) is found[0]
    for place, core in enumerate(found):
        assert {each.name for each in found[place + 1 :]} <= core.beats
    expected = CORE_OF_TARGETS.get(target.like or name)
    assert expected in (found[0].name, None)


def test_all_are_a_part_s_core() -> None:
    """But for those that others build on."""
    used = {core_of(load_target(name).features).name for name in target_names()}
    assert used == set(CORE_OF_TARGETS.values())
    assert all_cores().keys() - used == {"avr_plain", "mul16s", "plain", "plain32"}


def test_what_is_left_open() -> None:
    """The next core says it."""
    m0 = frozenset((Feature.THUMB, Feature.REGISTERS_32))
    m3 = m0 | {Feature.MULTIPLY_64}
    cores = all_cores()
    assert finish_of(m0) is cores["plain32"].finish
    assert finish_of(m3) is cores["plain64"].finish
    assert finish_of(frozenset()) is None
    assert (group_of(m0), group_of(frozenset()), group_of(m3 | {Feature.MVE})) == (4, 1, 8)
    assert group_of(m3 | {Feature.EXTERNAL_WEIGHTS}) == 1
    lx6 = frozenset((Feature.MAC16, Feature.MUL16S, Feature.REGISTERS_32))
    assert "aligned" in qualifiers_of(lx6).table


def test_order_of_folders_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever is found first."""
    features = load_target("nrf52840").features
    expected = [core.name for core in cores_of(features)]
    names = [core.name for core in cores_of(features)]
    for order in list(permutations(names))[::100]:
        again = {name: all_cores()[name] for name in order}
        monkeypatch.setattr("tinyml_rules.cores.all_cores", lambda again=again: again)
        cores_of.cache_clear()
        assert [core.name for core in cores_of(features)] == expected
        monkeypatch.undo()
    cores_of.cache_clear()
