/* What a branch tells of two numbers that were compared before it. */
#ifndef TINYML_COMPARISONS_H
#define TINYML_COMPARISONS_H

#include "bits.h"

enum { NO_REGISTER = -1 };

/* Two registers, or a register and a number, of which the difference set the flags. */
typedef struct {
    int left;
    int right;
    bits_t number;  /* if `right` is none */
    bit_t borrow;   /* is subtracted too */
    bool is_result; /* `left` is the result that set the flags, after the instruction */
    bool is_part;   /* the upper part of longer numbers: the flag of zero is of the lower parts too */
} comparison_t;

static inline comparison_t difference_from(int left, int right, bits_t number, bit_t borrow) {
    return (comparison_t){.left = left, .right = right, .number = number, .borrow = borrow};
}

static inline comparison_t result_in(int number) {
    return (comparison_t){.left = number, .right = NO_REGISTER, .is_result = true};
}

/* Of the left one to the sum of the right one and the borrow; BELOW and NOT_BELOW are without a sign. */
typedef enum { EQUAL, NOT_EQUAL, LESS, NOT_LESS, BELOW, NOT_BELOW, MORE, NOT_MORE, ABOVE, NOT_ABOVE, NO_RELATION } relation_t;

static inline relation_t opposite(relation_t relation) {
    return relation == NO_RELATION ? NO_RELATION : (relation_t)(relation ^ 1);
}

/* `a` is from `least` to `most`; false if it cannot be. */
static bool narrow(bits_t *a, int64_t least, int64_t most, unsigned width) {
    const bool is_possible = least <= most_signed(*a, width) && most >= least_signed(*a, width) && least <= most;
    *a = within(*a, least, most, width);
    return is_possible && least_signed(*a, width) <= most_signed(*a, width);
}

/* The same without a sign: of numbers on both sides of the greatest one with a sign nothing is learnt. */
static bool narrow_unsigned(bits_t *a, int64_t least, int64_t most, unsigned width) {
    const int64_t all = INT64_C(1) << width, half = all / 2;
    if (least > most || least >= all || most < 0) {
        return false;
    }
    if (least < half && most >= half) {
        return true;
    }
    return least < half ? narrow(a, least, most, width) : narrow(a, least - all, most - all, width);
}

static bool hold_equal(bits_t *a, bits_t *b, unsigned width) {
    const bits_t left = *a, right = *b;
    const uint32_t both_known = ~(left.unknown | right.unknown);
    if (((left.value ^ right.value) & both_known) != 0) {
        return false;
    }
    a->value |= right.value;
    a->unknown &= right.unknown;
    b->value = a->value;
    b->unknown = a->unknown;
    return narrow(a, least_signed(right, width), most_signed(right, width), width)
           && narrow(b, least_signed(left, width), most_signed(left, width), width);
}

/* If one of them is known it is not the least and not the most of the other one. */
static bool hold_not_equal(bits_t *a, bits_t b, unsigned width) {
    if (b.unknown != 0) {
        return true;
    }
    const int64_t number = least_signed(b, width), least = least_signed(*a, width), most = most_signed(*a, width);
    return narrow(a, least + (least == number), most - (most == number), width);
}

/* a < b + borrow, or a >= b + borrow. */
static bool hold_less(bits_t *a, bits_t *b, bool is_less, bit_t borrow, unsigned width) {
    const int64_t least_a = least_signed(*a, width), most_a = most_signed(*a, width);
    const int64_t least_b = least_signed(*b, width), most_b = most_signed(*b, width);
    if (is_less) {
        const int64_t more = borrow != 0;
        return narrow(a, INT64_MIN, most_b + more - 1, width) && narrow(b, least_a + 1 - more, INT64_MAX, width);
    }
    const int64_t more = borrow == 1;
    return narrow(a, least_b + more, INT64_MAX, width) && narrow(b, INT64_MIN, most_a - more, width);
}

/* The same without a sign. */
static bool hold_below(bits_t *a, bits_t *b, bool is_below, bit_t borrow, unsigned width) {
    const int64_t least_a = least_unsigned(*a, width), most_a = most_unsigned(*a, width);
    const int64_t least_b = least_unsigned(*b, width), most_b = most_unsigned(*b, width);
    if (is_below) {
        const int64_t more = borrow != 0, last = most_b + more - 1, first = least_a + 1 - more;
        return narrow_unsigned(a, least_a, last < most_a ? last : most_a, width)
               && narrow_unsigned(b, first > least_b ? first : least_b, most_b, width);
    }
    const int64_t more = borrow == 1, first = least_b + more, last = most_a - more;
    return narrow_unsigned(a, first > least_a ? first : least_a, most_a, width)
           && narrow_unsigned(b, least_b, last < most_b ? last : most_b, width);
}

/* Both as the relation tells; false if it cannot hold. */
static bool hold(relation_t relation, bits_t *a, bits_t *b, bit_t borrow, unsigned width) {
    switch (relation) {
    case EQUAL:
        return borrow != 0 || hold_equal(a, b, width);
    case NOT_EQUAL:
        return borrow != 0 || (hold_not_equal(a, *b, width) && hold_not_equal(b, *a, width));
    case LESS:
    case NOT_LESS:
        return hold_less(a, b, relation == LESS, borrow, width);
    case MORE: /* without a borrow */
    case NOT_MORE:
        return hold_less(b, a, relation == MORE, 0, width);
    case BELOW:
    case NOT_BELOW:
        return hold_below(a, b, relation == BELOW, borrow, width);
    case ABOVE:
    case NOT_ABOVE:
        return hold_below(b, a, relation == ABOVE, 0, width);
    default:
        return true;
    }
}

#endif
