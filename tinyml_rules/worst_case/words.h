/* Numbers of 32 bits: what shifts and divisions tell of their range, and their names. */
#ifndef TINYML_WORDS_H
#define TINYML_WORDS_H

#include "bits.h"

static bool can_be(bits_t a, uint32_t number) {
    return ((number ^ a.value) & ~a.unknown) == 0 && (int32_t)number >= least_signed(a, 32)
           && (int32_t)number <= most_signed(a, 32);
}

static uint32_t name_count;

/* The same number, with a name. */
static bits_t named(bits_t a) {
    const bool has_none = a.unknown != 0 && name_of(a) == 0 && note_count < MOST_NOTES;
    return has_none ? with_name(a, ++name_count * FORMS) : a;
}

/* `bits` are those of a number of 32 bits shifted by up to 31 places. */
static bits_t shifted_left_range(bits_t bits, bits_t a, unsigned by) {
    const int64_t factor = INT64_C(1) << by, least = least_signed(a, 32) * factor, most = most_signed(a, 32) * factor;
    return least < INT32_MIN || most > INT32_MAX ? bits : within(bits, least, most, 32);
}

/* With its sign. */
static bits_t shifted_right_range(bits_t bits, bits_t a, unsigned by) {
    const bits_t found = within(bits, least_signed(a, 32) >> by, most_signed(a, 32) >> by, 32);
    return by == 31 && name_of(a) != 0 ? with_name(found, name_of(a) | SIGN_MASK) : found;
}

/* The quotient of a number by one above zero; nothing is known of others. */
static bits_t quotient_signed(bits_t a, bits_t b) {
    const int64_t least = least_signed(a, 32), most = most_signed(a, 32);
    const int64_t least_divisor = least_signed(b, 32), most_divisor = most_signed(b, 32);
    if (least_divisor <= 0) {
        return any(32);
    }
    return within(any(32), least / (least < 0 ? least_divisor : most_divisor),
                  most / (most < 0 ? most_divisor : least_divisor), 32);
}

/* From one number to another one, without a sign. */
static bits_t from_to(uint32_t least, uint32_t most) {
    const bits_t found = between(least, most);
    return (int32_t)least <= (int32_t)most ? within(found, (int32_t)least, (int32_t)most, 32) : found;
}

static bits_t quotient_unsigned(bits_t a, bits_t b) {
    const uint32_t least_divisor = least_unsigned(b, 32);
    return least_divisor == 0 ? any(32)
                              : from_to(least_unsigned(a, 32) / most_unsigned(b, 32), most_unsigned(a, 32) / least_divisor);
}

#endif
