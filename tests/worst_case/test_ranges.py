"""What is said of numbers of which some bits are known, and a range, holds for every such number:
all of three bits."""

from __future__ import annotations

from pathlib import Path

from tests.worst_case.harness import run_harness

HARNESS = r"""
#include <stdio.h>
#include "comparisons.h"

enum { WIDTH = 3, ALL = 1 << WIDTH, SIGN = ALL / 2, MOST_VALUES = 1000 };

static bits_t values[MOST_VALUES];
static unsigned sets[MOST_VALUES]; /* the numbers that each may be, a bit for each */
static int count;

static int with_sign(unsigned number) {
    return number & SIGN ? (int)number - ALL : (int)number;
}

static bool is_in(unsigned number, bits_t a) {
    return ((number ^ a.value) & ~a.unknown & (ALL - 1)) == 0
           && with_sign(number) >= least_signed(a, WIDTH)
           && with_sign(number) <= most_signed(a, WIDTH)
           && number >= least_unsigned(a, WIDTH) && number <= most_unsigned(a, WIDTH);
}

static bool is_flag(bit_t found, bool is) {
    return found == UNKNOWN || found == is;
}

/* With each range, of which some number is one with these bits. */
static void add_values(uint32_t value, uint32_t unknown) {
    for (int least = -SIGN; least < SIGN; least++) {
        for (int most = least; most < SIGN; most++) {
            unsigned set = 0;
            for (unsigned number = 0; number < ALL; number++) {
                const bool is = ((number ^ value) & ~unknown) == 0 && with_sign(number) >= least
                                && with_sign(number) <= most;
                set |= (unsigned)is << number;
            }
            if (set != 0) {
                values[count] = within(of_bits(value, unknown), least, most, WIDTH);
                sets[count++] = set;
            }
        }
    }
}

static bool is_sum_right(int i, int j, bit_t carry, sum_t sum, bool is_difference) {
    for (unsigned x = 0; x < ALL; x++) {
        for (unsigned y = 0; y < ALL; y++) {
            for (unsigned more = 0; more < 2; more++) {
                if (!(sets[i] >> x & 1) || !(sets[j] >> y & 1) || !is_flag(carry, more != 0)) {
                    continue;
                }
                const unsigned other = is_difference ? ~y & (ALL - 1) : y;
                const unsigned in = is_difference ? !more : more;
                const unsigned exact = x + other + in;
                const int exact_signed = with_sign(x) + with_sign(other) + (int)in;
                if (!is_in(exact & (ALL - 1), sum.bits) || !is_flag(sum.carry, exact >= ALL)
                    || !is_flag(sum.overflow, exact_signed < -SIGN || exact_signed >= SIGN)) {
                    return false;
                }
            }
        }
    }
    return true;
}

static bool are_related(relation_t relation, unsigned x, unsigned y, unsigned borrow) {
    const int a = with_sign(x), b = with_sign(y) + (int)borrow;
    const bool found[] = {a == b, a < b, x < y + borrow, a > b, x > y + borrow};
    static const int places[] = {0, 0, 1, 1, 2, 2, 3, 3, 4, 4};
    return found[places[relation]] != (relation & 1);
}

static bool is_relation_right(int i, int j, relation_t relation, bit_t borrow) {
    bits_t a = values[i], b = values[j];
    const bool is_possible = hold(relation, &a, &b, borrow, WIDTH);
    for (unsigned x = 0; x < ALL; x++) {
        for (unsigned y = 0; y < ALL; y++) {
            for (unsigned more = 0; more < 2; more++) {
                const bool is = sets[i] >> x & 1 && sets[j] >> y & 1 && is_flag(borrow, more != 0)
                                && are_related(relation, x, y, more);
                if (is && (!is_possible || !is_in(x, a) || !is_in(y, b))) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* Of all pairs; with known bits nothing is left open. */
static const char *wrong(int i, int j) {
    const bits_t a = values[i], b = values[j];
    const bool are_known = (a.unknown | b.unknown) == 0;
    for (int carry = UNKNOWN; carry < 2; carry++) {
        const sum_t sum = sum_of(a, b, (bit_t)carry, WIDTH);
        const sum_t difference = difference_of(a, b, (bit_t)carry, WIDTH);
        if (!is_sum_right(i, j, (bit_t)carry, sum, false)
            || !is_sum_right(i, j, (bit_t)carry, sum_of_ranges(a, b, (bit_t)carry, WIDTH), false)
            || (are_known && carry != UNKNOWN && (sum.bits.unknown != 0 || sum.carry == UNKNOWN))) {
            return "sum";
        }
        if (!is_sum_right(i, j, (bit_t)carry, difference, true)) {
            return "difference";
        }
        for (int relation = EQUAL; relation < (carry == 0 ? NO_RELATION : MORE); relation++) {
            if (!is_relation_right(i, j, (relation_t)relation, (bit_t)carry)) {
                return "relation";
            }
        }
    }
    const bits_t both = either(a, b, WIDTH);
    for (unsigned number = 0; number < ALL; number++) {
        if ((sets[i] | sets[j]) >> number & 1 && !is_in(number, both)) {
            return "either";
        }
    }
    return NULL;
}

static bool is_wrong(int i) {
    const bit_t zero = zero_bit_of(values[i], WIDTH);
    for (unsigned number = 0; number < ALL; number++) {
        if (sets[i] >> number & 1
            && (!is_in(number, values[i]) || !is_in(~number & (ALL - 1), bits_not(values[i], WIDTH))
                || !is_flag(zero, number == 0))) {
            return true;
        }
    }
    return false;
}

int main(void) {
    for (uint32_t unknown = 0; unknown < ALL; unknown++) {
        for (uint32_t value = 0; value < ALL; value++) {
            if ((value & unknown) == 0) {
                add_values(value, unknown);
            }
        }
    }
    for (int i = 0; i < count; i++) {
        if (is_wrong(i)) {
            printf("value %d\n", i);
            return 1;
        }
        for (int j = 0; j < count; j++) {
            const char *what = wrong(i, j);
            if (what != NULL) {
                printf("%s of %d and %d\n", what, i, j);
                return 1;
            }
        }
    }
    return count > 100 ? 0 : 1;
}
"""


def test_all_of_three_bits(tmp_path: Path) -> None:
    """Sums, differences, joins, and what a branch tells of both numbers that were compared."""
    run_harness(HARNESS, tmp_path)
