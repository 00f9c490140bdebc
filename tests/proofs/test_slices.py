"""A slice has all that matters of a function, and no more: what is proved once is the same text."""

from __future__ import annotations

import pytest

from proofs.slices import Parts, Slice, program

_TEXT = """/*@ predicate is_less(integer a, integer b) = a < b;
    lemma less: \\forall integer a; is_less(a, a + 1); */
struct m_KERNEL_params {
    int period;
};

/* Not seen. */
/*@ requires a >= 0;
    assigns \\nothing; */
static inline int m_piece(int a)
{
    return a;
}

static void m_other(void)
{
}

/*@ requires params->period > 0; */
static int m_KERNEL(const struct m_KERNEL_params *params)
{
    /*@ assert is_less(0, params->period); */
    return m_piece(params->period);
}

static const struct m_KERNEL_params m_node_0 = {
    .period = 5,
};
"""


def _slice(name: str, right: str = "", wrong: str = "") -> Slice:
    text = _TEXT.replace("KERNEL", name)
    assert not right or text.count(right) == 1
    return Parts(text.replace(right, wrong) if right else text).of(f"m_{name}", name)


def test_it_has_what_the_function_names_and_contracts_of_what_it_calls() -> None:
    found = _slice("less")
    assert found.name == "m_kernel"
    assert [each.split()[2] for each in found.logic] == ["is_less(integer"]
    assert "struct m_kernel_params {" in found.text
    assert "int m_piece(int a);" in found.text
    assert not any(each in found.text for each in ("m_other", "m_node_0", "Not seen", "return a;"))


def test_kernels_that_differ_in_names_alone_have_the_same() -> None:
    assert _slice("less") == _slice("greater")


@pytest.mark.parametrize(
    ("right", "wrong", "is_same"),
    [
        ("    return a;", "    return a + 1;", True),  # of what it calls, the contract matters
        ("requires a >= 0", "requires a >= 1", False),
        ("int period;", "short period;", False),
        ("= a < b;", "= a <= b;", False),
        ("requires params->period > 0", "requires params->period > 1", False),
        ("return m_piece(params->period);", "return m_piece(params->period + 1);", False),
    ],
)
def test_what_matters_makes_a_difference(right: str, wrong: str, is_same: bool) -> None:
    assert (_slice("less", right, wrong) == _slice("less")) is is_same


def test_a_program_of_several_says_what_all_share_once() -> None:
    same, other = _slice("less"), _slice("less", "int period;", "short period;")
    text, functions = program([same, other])
    assert functions == ["p0_kernel", "p1_kernel"]
    assert text.count("lemma less:") == 1
    assert text.count("int p0_piece(int a);") == text.count("int p1_piece(int a);") == 1
    assert "m_" not in text


def test_what_is_called_has_a_contract() -> None:
    text = _TEXT.replace("KERNEL", "less").replace("m_piece(params->period)", "m_other()")
    with pytest.raises(AssertionError, match="m_other has no contract"):
        Parts(text).of("m_less", "less")
