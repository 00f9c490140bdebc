/* Arithmetic of an FPU with single precision.  Of an unknown number nothing is known but its sign, and none of these takes
 * longer for some numbers than for others. */
#ifndef TINYML_THUMB_REAL_H
#define TINYML_THUMB_REAL_H

#include <math.h>

enum {
    DEFAULT_NAN = 0x7fc00000,
    QUIET = 0x00400000,
    SIGN_PLACE = 31,
    MODES = 0x07c00000,       /* of the status: how it rounds, and what becomes of the smallest numbers */
    EXCEPTIONS = 0x0000009f,  /* of the status: what has happened, which is not looked at */
};

static float real_of(uint32_t word) {
    float found;
    memcpy(&found, &word, sizeof found);
    return found;
}

static uint32_t word_of(float real) {
    uint32_t found;
    memcpy(&found, &real, sizeof found);
    return found;
}

static bool is_nan(uint32_t word) {
    return (word & 0x7fffffff) > 0x7f800000;
}

/* The NaN that is the result if one of the operands is one: a signaling one before the others; 0 if none is. */
static uint32_t nan_among(const uint32_t *words, unsigned count) {
    for (int is_quiet = 0; is_quiet < 2; is_quiet++) {
        for (unsigned index = 0; index < count; index++) {
            if (is_nan(words[index]) && ((words[index] & QUIET) != 0) == is_quiet) {
                return words[index] | QUIET;
            }
        }
    }
    return 0;
}

/* In a processor that rounds to the nearest number. */
static bool rounds_to_nearest(void) {
    return (most_of(r[FLOAT_STATUS]) & MODES) == 0;
}

static bits_t result_of(float real) {
    return known(isnan(real) ? DEFAULT_NAN : word_of(real));
}

static bits_t negated(bits_t a) {
    return with_bit(a, SIGN_PLACE, bit_not(bit_of(a, SIGN_PLACE)));
}

enum { SUM, DIFFERENCE, PRODUCT, QUOTIENT };

static bits_t real_result(int kind, bits_t a, bits_t b) {
    const uint32_t words[] = {a.value, b.value};
    if ((a.unknown | b.unknown) != 0 || !rounds_to_nearest()) {
        return any(32);
    }
    if (nan_among(words, 2) != 0) {
        return known(nan_among(words, 2));
    }
    const float x = real_of(a.value), y = real_of(b.value);
    return result_of(kind == SUM ? x + y : kind == DIFFERENCE ? x - y : kind == PRODUCT ? x * y : x / y);
}

/* A product that is not rounded before `more` is added. */
static bits_t fused(bits_t more, bits_t a, bits_t b) {
    const uint32_t words[] = {more.value, a.value, b.value};
    if ((more.unknown | a.unknown | b.unknown) != 0 || !rounds_to_nearest()) {
        return any(32);
    }
    const float x = real_of(a.value), y = real_of(b.value);
    const bool has_no_product = (isinf(x) && y == 0) || (x == 0 && isinf(y));
    const bool is_quiet = is_nan(more.value) && (more.value & QUIET) != 0;
    if (nan_among(words, 3) != 0 && !(has_no_product && is_quiet)) {
        return known(nan_among(words, 3));
    }
    return result_of(fmaf(x, y, real_of(more.value)));
}

static bits_t square_root(bits_t a) {
    if (a.unknown != 0 || !rounds_to_nearest()) {
        return any(32);
    }
    return is_nan(a.value) ? known(a.value | QUIET) : result_of(sqrtf(real_of(a.value)));
}

/* The flags of the status. */
static void compare_reals(bits_t a, bits_t b) {
    bits_t found = any(32);
    if ((a.unknown | b.unknown) == 0 && rounds_to_nearest()) {
        const float x = real_of(a.value), y = real_of(b.value);
        found = known(x == y ? 0x60000000 : x < y ? 0x80000000 : x > y ? 0x20000000 : 0x30000000);
    }
    r[FLOAT_STATUS] = bits_or(bits_and(r[FLOAT_STATUS], known(0x0fffffff)), bits_and(found, known(0xf0000000)));
}

static bits_t real_of_integer(bits_t a, bool is_signed) {
    if (a.unknown != 0 || !rounds_to_nearest()) {
        return any(32);
    }
    return known(word_of(is_signed ? (float)(int32_t)a.value : (float)a.value));
}

/* The nearest one that there is; of what is no number it is 0. */
static bits_t integer_of_real(bits_t a, bool is_signed, bool is_truncated) {
    if (a.unknown != 0 || !rounds_to_nearest()) {
        return any(32);
    }
    const float x = real_of(a.value);
    const double whole = isnan(x) ? 0 : is_truncated ? trunc((double)x) : nearbyint((double)x);
    const double least = is_signed ? INT32_MIN : 0, most = is_signed ? INT32_MAX : UINT32_MAX;
    return known((uint32_t)(int64_t)(whole < least ? least : whole > most ? most : whole));
}

/* A constant of 8 bits: sign, three bits of the exponent, four of the fraction. */
static uint32_t expanded_real(uint32_t eight) {
    return (eight & 0x80) << 24 | (eight & 0x40 ? 0x3e000000u : 0x40000000u) | (eight & 0x3f) << 19;
}

#endif
