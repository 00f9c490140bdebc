/* What instructions of Thumb compute, and the flags that they set. */
#ifndef TINYML_THUMB_ARITHMETIC_H
#define TINYML_THUMB_ARITHMETIC_H

/* The flags as bits 28 to 31 of a word, and the four of bytes as bits 16 to 19. */
static const uint8_t places_of_flags[] = {31, 30, 29, 28, 16, 17, 18, 19};

static bool sets_flags; /* the present instruction */

FAST void put_flag(int flag, bit_t bit) {
    f[flag] = sets_flags ? bit : f[flag];
}

FAST bits_t with_flags(bits_t result) {
    put_flag(NEGATIVE, bit_of(result, 31));
    put_flag(ZERO, zero_bit_of(result, 32));
    return result;
}

FAST bits_t with_all_flags(sum_t sum) {
    put_flag(CARRY, sum.carry);
    put_flag(OVERFLOW, sum.overflow);
    return with_flags(sum.bits);
}

FAST bits_t add(bits_t a, bits_t b, bit_t carry) {
    return with_all_flags(sum_of(a, b, carry, 32));
}

/* A number minus itself is 0, whatever it is; `borrow` is the inverse of the carry. */
FAST bits_t subtract(bits_t a, bits_t b, bit_t borrow, bool are_same) {
    if (!are_same) {
        return with_all_flags(difference_of(a, b, borrow, 32));
    }
    if (borrow != UNKNOWN) {
        return with_all_flags(difference_of(known(0), known(0), borrow, 32));
    }
    put_flag(OVERFLOW, 0);
    return with_flags(any(32));
}

static bits_t shifted_left(bits_t a, unsigned by) {
    put_flag(CARRY, by > 32 ? 0 : bit_of(a, 32 - by));
    return by > 31 ? known(0) : shifted_left_range(of_bits(a.value << by, a.unknown << by), a, by);
}

static bits_t shifted_right(bits_t a, unsigned by) {
    put_flag(CARRY, by > 32 ? 0 : bit_of(a, by - 1));
    const bits_t bits = by > 31 ? known(0) : of_bits(a.value >> by, a.unknown >> by);
    return by > 31 || least_signed(a, 32) < 0 ? bits : shifted_right_range(bits, a, by);
}

static bits_t shifted_with_sign(bits_t a, unsigned by) {
    const unsigned places = by > 31 ? 31 : by;
    put_flag(CARRY, by > 31 ? bit_of(a, 31) : bit_of(a, by - 1));
    const bits_t bits = of_bits((uint32_t)((int32_t)a.value >> places), (uint32_t)((int32_t)a.unknown >> places));
    return shifted_right_range(bits, a, places);
}

static bits_t turned(bits_t a, unsigned by) {
    by &= 31;
    return by == 0 ? a : of_bits(a.value >> by | a.value << (32 - by), a.unknown >> by | a.unknown << (32 - by));
}

static bits_t rotated(bits_t a, unsigned by) {
    const bits_t found = turned(a, by);
    put_flag(CARRY, bit_of(found, 31));
    return found;
}

enum { LEFT, RIGHT, WITH_SIGN, ROTATED };

/* By 0 to 255 places; by 0 the carry stays. */
static bits_t shifted_by(bits_t a, int kind, unsigned by) {
    static bits_t (*const ways[])(bits_t, unsigned) = {shifted_left, shifted_right, shifted_with_sign, rotated};
    return by == 0 ? a : ways[kind](a, by);
}

static bits_t shifted(bits_t a, int kind, bits_t by) {
    if ((by.unknown & 0xff) != 0) {
        put_flag(CARRY, UNKNOWN);
        return with_flags(any(32));
    }
    return with_flags(shifted_by(a, kind, by.value & 0xff));
}

static bit_t condition(unsigned number) {
    const bit_t is_less = bit_xor(f[NEGATIVE], f[OVERFLOW]), is_not_zero = bit_not(f[ZERO]);
    const bit_t found[] = {
        f[ZERO], f[CARRY], f[NEGATIVE], f[OVERFLOW], bit_and(f[CARRY], is_not_zero), bit_not(is_less),
        bit_and(is_not_zero, bit_not(is_less)), 1,
    };
    return number & 1 ? bit_not(found[number >> 1]) : found[number >> 1];
}

/* What a condition tells of what was compared: nothing if the instruction before it did not. */
static relation_t relation_of(unsigned number) {
    static const relation_t of_differences[] = {
        EQUAL,       NOT_EQUAL,   NOT_BELOW, BELOW,     NO_RELATION, NO_RELATION, NO_RELATION, NO_RELATION,
        ABOVE,       NOT_ABOVE,   NOT_LESS,  LESS,      MORE,        NOT_MORE,    NO_RELATION, NO_RELATION,
    };
    static const relation_t of_results[] = {
        EQUAL,       NOT_EQUAL,   NO_RELATION, NO_RELATION, LESS, NOT_LESS, NO_RELATION, NO_RELATION,
        NO_RELATION, NO_RELATION, NOT_LESS,    LESS,        MORE, NOT_MORE, NO_RELATION, NO_RELATION,
    };
    if (!has_comparison() || (state.comparison.is_result && number >= 10 && f[OVERFLOW] != 0)) {
        return NO_RELATION;
    }
    return state.comparison.is_result ? of_results[number] : of_differences[number];
}

/* Of two registers, or of one and a number; the difference is in a third one, or nowhere. */
static void told_difference(int d, int left, int right, bits_t number) {
    if (!sets_flags) {
        return;
    }
    if (d != NO_REGISTER && (d == left || d == right)) {
        compare_result(d, false);
    } else {
        compare(left, right, number, 0, false);
    }
}

static void told_result(int d) {
    if (sets_flags) {
        compare_result(d, false);
    }
}

static bits_t bytes_reversed(bits_t a) {
    return of_bits(__builtin_bswap32(a.value), __builtin_bswap32(a.unknown));
}

static bits_t reversed_bytes_of_halves(bits_t a) {
    return turned(bytes_reversed(a), 16);
}

#endif
