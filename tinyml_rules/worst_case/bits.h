/* Values of which each bit is 0, 1 or unknown. */
#ifndef TINYML_BITS_H
#define TINYML_BITS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint32_t value;   /* 0 where a bit is unknown */
    uint32_t unknown; /* 1 there */
} bits_t;

/* One bit: 0, 1 or UNKNOWN. */
typedef int8_t bit_t;
enum { UNKNOWN = -1 };

static inline uint32_t low_mask(unsigned width) {
    return width == 32 ? UINT32_MAX : (UINT32_C(1) << width) - 1;
}

static inline bits_t known(uint32_t value) {
    return (bits_t){value, 0};
}

static inline bits_t any(unsigned width) {
    return (bits_t){0, low_mask(width)};
}

/* The least and the largest value, without a sign. */
static inline uint32_t least_of(bits_t a) {
    return a.value;
}

static inline uint32_t most_of(bits_t a) {
    return a.value | a.unknown;
}

/* The same with a sign. */
static inline int32_t least_signed(bits_t a, unsigned width) {
    const uint32_t sign = UINT32_C(1) << (width - 1);
    return (int32_t)(((a.value & ~sign) | (most_of(a) & sign)) << (32 - width)) >> (32 - width);
}

static inline int32_t most_signed(bits_t a, unsigned width) {
    const uint32_t sign = UINT32_C(1) << (width - 1);
    return (int32_t)(((most_of(a) & ~sign) | (a.value & sign)) << (32 - width)) >> (32 - width);
}

static inline bool is_zero(bits_t a) {
    return most_of(a) == 0;
}

/* What is true of both. */
static inline bits_t joined(bits_t a, bits_t b) {
    const uint32_t unknown = a.unknown | b.unknown | (a.value ^ b.value);
    return (bits_t){a.value & ~unknown, unknown};
}

static inline bits_t low_bits(bits_t a, unsigned width) {
    return (bits_t){a.value & low_mask(width), a.unknown & low_mask(width)};
}

static inline bit_t bit_of(bits_t a, unsigned place) {
    return a.unknown >> place & 1 ? UNKNOWN : (bit_t)(a.value >> place & 1);
}

static inline bits_t with_bit(bits_t a, unsigned place, bit_t bit) {
    const uint32_t mask = UINT32_C(1) << place;
    a.value = (a.value & ~mask) | (bit == 1 ? mask : 0);
    a.unknown = (a.unknown & ~mask) | (bit == UNKNOWN ? mask : 0);
    return a;
}

/* Whether a value is zero. */
static inline bit_t zero_bit(bits_t a) {
    return a.value != 0 ? 0 : a.unknown != 0 ? UNKNOWN : 1;
}

static inline bit_t bit_not(bit_t a) {
    return a == UNKNOWN ? UNKNOWN : (bit_t)!a;
}

static inline bit_t bit_xor(bit_t a, bit_t b) {
    return a == UNKNOWN || b == UNKNOWN ? UNKNOWN : (bit_t)(a ^ b);
}

static inline bit_t bit_and(bit_t a, bit_t b) {
    return a == 0 || b == 0 ? 0 : a == UNKNOWN || b == UNKNOWN ? UNKNOWN : 1;
}

static inline bits_t bits_and(bits_t a, bits_t b) {
    const uint32_t value = a.value & b.value;
    return (bits_t){value, most_of(a) & most_of(b) & ~value};
}

static inline bits_t bits_or(bits_t a, bits_t b) {
    const uint32_t value = a.value | b.value;
    return (bits_t){value, (a.unknown | b.unknown) & ~value};
}

static inline bits_t bits_xor(bits_t a, bits_t b) {
    const uint32_t unknown = a.unknown | b.unknown;
    return (bits_t){(a.value ^ b.value) & ~unknown, unknown};
}

static inline bits_t bits_not(bits_t a, unsigned width) {
    return (bits_t){~a.value & ~a.unknown & low_mask(width), a.unknown};
}

/* A sum with the carries that leave its highest bit and that enter it. */
typedef struct {
    bits_t bits;
    bit_t carry;
    bit_t into_sign;
} sum_t;

/* 1 or 0 if a carry leaves `width` bits of every, or of no sum between these two. */
static inline bit_t carry_between(uint64_t least, uint64_t most, unsigned width) {
    return least >> width != 0 ? 1 : most >> width != 0 ? UNKNOWN : 0;
}

/* A bit of the sum is unknown if it differs between the sum of all least and of all largest bits, or in an operand. */
static inline sum_t sum_of(bits_t a, bits_t b, bit_t carry, unsigned width) {
    const uint64_t carry_least = carry == 1, carry_most = carry != 0;
    const uint32_t below = low_mask(width - 1);
    const uint64_t least = (uint64_t)least_of(a) + least_of(b) + carry_least;
    const uint64_t most = (uint64_t)most_of(a) + most_of(b) + carry_most;
    const uint64_t mixed = (least ^ most) | a.unknown | b.unknown | (carry_least ^ carry_most);
    const uint32_t unknown = (uint32_t)mixed & low_mask(width);
    return (sum_t){
        .bits = {(uint32_t)least & low_mask(width) & ~unknown, unknown},
        .carry = carry_between(least, most, width),
        .into_sign = carry_between((uint64_t)(least_of(a) & below) + (least_of(b) & below) + carry_least,
                                   (uint64_t)(most_of(a) & below) + (most_of(b) & below) + carry_most, width - 1),
    };
}

/* a - b - borrow, as a sum; the borrow that leaves it is the inverse of its carry. */
static inline sum_t difference_of(bits_t a, bits_t b, bit_t borrow, unsigned width) {
    return sum_of(a, bits_not(b, width), bit_not(borrow), width);
}

static inline bits_t added(bits_t a, uint32_t amount, unsigned width) {
    return sum_of(a, known(amount & low_mask(width)), 0, width).bits;
}

/* The lowest 32 bits of a product: with unknown factors only its trailing zeros are known. */
static inline bits_t product_of(bits_t a, bits_t b) {
    if (a.unknown == 0 && b.unknown == 0) {
        return known(a.value * b.value);
    }
    if (is_zero(a) || is_zero(b)) {
        return known(0);
    }
    const int zeros = __builtin_ctz(most_of(a)) + __builtin_ctz(most_of(b));
    return zeros > 31 ? known(0) : (bits_t){0, UINT32_MAX << zeros};
}

/* What is true of all numbers from `least` to `most`, with a sign or without: the bits before the first that differs,
 * which is the sign's if that changes. */
static inline bits_t between(uint32_t least, uint32_t most) {
    const uint32_t unknown = least == most ? 0 : UINT32_MAX >> __builtin_clz(least ^ most);
    return (bits_t){least & ~unknown, unknown};
}

static inline bits_t extended(bits_t a, unsigned width, bool is_signed) {
    bits_t result = low_bits(a, width);
    if (is_signed) {
        result.unknown |= a.unknown >> (width - 1) & 1 ? ~low_mask(width) : 0;
        result.value |= a.value >> (width - 1) & 1 ? ~low_mask(width) : 0;
    }
    return result;
}

#endif
