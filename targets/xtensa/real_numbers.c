/* Arithmetic of float32 that GCC calls and Debian's libgcc for the LX106 has not all of; the chip keeps
 * it in ROM.  Rounds to the nearest, ties to even, with subnormal numbers.  The linker drops what is not
 * called.
 */
#include <stdint.h>

float __addsf3(float a, float b);
float __subsf3(float a, float b);
float __mulsf3(float a, float b);
float __divsf3(float a, float b);
float __floatsisf(int32_t value);
float __floatunsisf(uint32_t value);
float __floatdisf(int64_t value);
int32_t __fixsfsi(float value);
uint32_t __fixunssfsi(float value);
int64_t __fixsfdi(float value);
int __unordsf2(float a, float b);
int __eqsf2(float a, float b);
int __nesf2(float a, float b);
int __ltsf2(float a, float b);
int __lesf2(float a, float b);
int __gtsf2(float a, float b);
int __gesf2(float a, float b);

#define SIGN 0x80000000u
#define INFINITE 0x7F800000u
#define NO_NUMBER 0x7FC00000u
#define HIDDEN 0x00800000u

static inline uint32_t bits_of(float value) {
    const union {
        float real;
        uint32_t bits;
    } both = {.real = value};
    return both.bits;
}

static inline float real_of(uint32_t bits) {
    const union {
        uint32_t bits;
        float real;
    } both = {.bits = bits};
    return both.real;
}

static inline uint32_t magnitude(uint32_t bits) {
    return bits & ~SIGN;
}

/* mantissa * 2^(exponent - 150), where a number that is not subnormal has 2^23 <= mantissa < 2^24. */
struct parts {
    int exponent;
    uint32_t mantissa;
};

static inline struct parts parts_of(uint32_t bits) {
    struct parts found = {(int)(magnitude(bits) >> 23), bits & (HIDDEN - 1)};
    if (found.exponent == 0) {
        found.exponent = 1;
    } else {
        found.mantissa |= HIDDEN;
    }
    return found;
}

/* The same with a mantissa that is at least 2^23, of a number that is not 0. */
static inline struct parts normal_parts_of(uint32_t bits) {
    struct parts found = parts_of(bits);
    const int shift = __builtin_clz(found.mantissa) - 8;
    found.mantissa <<= shift;
    found.exponent -= shift;
    return found;
}

/* What is shifted out leaves a 1 in the lowest bit. */
static inline uint32_t shifted(uint32_t value, int shift) {
    if (shift > 31) {
        return value != 0;
    }
    return value >> shift | ((value & ((1u << shift) - 1)) != 0);
}

/* value * 2^(exponent - 157) with 2^30 <= value < 2^31, rounded. */
static float rounded(uint32_t sign, int exponent, uint32_t value) {
    if (exponent >= 255) {
        return real_of(sign | INFINITE);
    }
    if (exponent <= 0) {
        value = shifted(value, 1 - exponent);
    }
    const uint32_t rest = value & 127;
    value >>= 7;
    value += rest > 64 || (rest == 64 && (value & 1) != 0);
    if (exponent > 0) { /* the mantissa's highest bit adds the last 1 to the exponent */
        value += (uint32_t)(exponent - 1) << 23;
    }
    return real_of(sign | value);
}

static float sum(uint32_t a, uint32_t b) {
    if (magnitude(a) < magnitude(b)) {
        const uint32_t larger = b;
        b = a;
        a = larger;
    }
    if (magnitude(a) >= INFINITE) {
        const int is_none = magnitude(a) > INFINITE || (magnitude(b) == INFINITE && a != b);
        return real_of(is_none ? NO_NUMBER : a);
    }
    const struct parts first = parts_of(a), second = parts_of(b);
    const uint32_t smaller = shifted(second.mantissa << 6, first.exponent - second.exponent);
    uint32_t value = first.mantissa << 6;
    value = ((a ^ b) & SIGN) != 0 ? value - smaller : value + smaller;
    if (value == 0) {
        return real_of(a & b & SIGN);
    }
    const int shift = __builtin_clz(value) - 1;
    return rounded(a & SIGN, first.exponent + 1 - shift, value << shift);
}

float __addsf3(float a, float b) {
    return sum(bits_of(a), bits_of(b));
}

float __subsf3(float a, float b) {
    return sum(bits_of(a), bits_of(b) ^ SIGN);
}

float __mulsf3(float a, float b) {
    const uint32_t x = bits_of(a), y = bits_of(b), sign = (x ^ y) & SIGN;
    if (magnitude(x) >= INFINITE || magnitude(y) >= INFINITE) {
        const int is_none = magnitude(x) > INFINITE || magnitude(y) > INFINITE
            || magnitude(x) == 0 || magnitude(y) == 0;
        return real_of(is_none ? NO_NUMBER : sign | INFINITE);
    }
    if (magnitude(x) == 0 || magnitude(y) == 0) {
        return real_of(sign);
    }
    const struct parts first = normal_parts_of(x), second = normal_parts_of(y);
    const uint64_t wide = first.mantissa, product = wide * second.mantissa;
    const int exponent = first.exponent + second.exponent - 127;
    const uint32_t low = (uint32_t)product, high = (uint32_t)(product >> 32);
    if (high >> 15 != 0) { /* from 2^47 on */
        return rounded(sign, exponent + 1, high << 15 | low >> 17 | ((low & 0x1FFFF) != 0));
    }
    return rounded(sign, exponent, high << 16 | low >> 16 | ((low & 0xFFFF) != 0));
}

float __divsf3(float a, float b) {
    const uint32_t x = bits_of(a), y = bits_of(b), sign = (x ^ y) & SIGN;
    const uint32_t dividend = magnitude(x), divisor = magnitude(y);
    if (dividend > INFINITE || divisor > INFINITE || (dividend == divisor
            && (dividend == 0 || dividend == INFINITE))) {
        return real_of(NO_NUMBER);
    }
    if (dividend == INFINITE || divisor == 0) {
        return real_of(sign | INFINITE);
    }
    if (dividend == 0 || divisor == INFINITE) {
        return real_of(sign);
    }
    const struct parts first = normal_parts_of(x), second = normal_parts_of(y);
    int exponent = first.exponent - second.exponent + 127;
    uint32_t rest = first.mantissa, quotient = 0;
    if (rest < second.mantissa) {
        rest <<= 1;
        exponent--;
    }
    for (int bit = 0; bit < 31; bit++) {
        quotient <<= 1;
        if (rest >= second.mantissa) {
            rest -= second.mantissa;
            quotient |= 1;
        }
        rest <<= 1;
    }
    return rounded(sign, exponent, quotient | (rest != 0));
}

/* ---- from and to integers ---- */

static float converted(uint32_t sign, uint32_t value) {
    if (value == 0) {
        return 0.0f;
    }
    const int shift = __builtin_clz(value);
    return rounded(sign, 158 - shift, shifted(value << shift, 1));
}

float __floatunsisf(uint32_t value) {
    return converted(0, value);
}

float __floatsisf(int32_t value) {
    return value < 0 ? converted(SIGN, 0u - (uint32_t)value) : converted(0, (uint32_t)value);
}

float __floatdisf(int64_t value) {
    const uint32_t sign = value < 0 ? SIGN : 0;
    const uint64_t all = value < 0 ? 0u - (uint64_t)value : (uint64_t)value;
    const uint32_t high = (uint32_t)(all >> 32), low = (uint32_t)all;
    if (high == 0) {
        return converted(sign, low);
    }
    const int shift = __builtin_clz(high);
    const uint64_t raised = all << shift;
    const uint32_t top = (uint32_t)(raised >> 32) | ((uint32_t)raised != 0);
    return rounded(sign, 190 - shift, shifted(top, 1));
}

/* Without its sign, cut off; what is too large gives anything, as in C. */
static uint32_t cut_off(uint32_t bits) {
    const struct parts parts = parts_of(bits);
    const int shift = parts.exponent - 150;
    if (shift < -23 || shift > 8) {
        return 0;
    }
    return shift < 0 ? parts.mantissa >> -shift : parts.mantissa << shift;
}

uint32_t __fixunssfsi(float value) {
    return cut_off(bits_of(value));
}

int32_t __fixsfsi(float value) {
    const uint32_t bits = bits_of(value), whole = cut_off(bits);
    return (int32_t)((bits & SIGN) != 0 ? 0u - whole : whole);
}

int64_t __fixsfdi(float value) {
    const uint32_t bits = bits_of(value);
    const struct parts parts = parts_of(bits);
    const int shift = parts.exponent - 150;
    uint64_t whole = 0; /* of what is too large, too */
    if (shift >= 0 && shift <= 40) {
        whole = (uint64_t)parts.mantissa << shift;
    } else if (shift < 0) {
        whole = cut_off(bits);
    }
    return (int64_t)((bits & SIGN) != 0 ? 0u - whole : whole);
}

/* ---- which is greater ---- */

static inline int32_t place(uint32_t bits) {
    const int32_t distance = (int32_t)magnitude(bits);
    return (bits & SIGN) != 0 ? -distance : distance;
}

/* -1, 0 or 1; `unordered` where one is no number. */
static int compared(float a, float b, int unordered) {
    const uint32_t x = bits_of(a), y = bits_of(b);
    if (magnitude(x) > INFINITE || magnitude(y) > INFINITE) {
        return unordered;
    }
    return (place(x) > place(y)) - (place(x) < place(y));
}

int __unordsf2(float a, float b) {
    return magnitude(bits_of(a)) > INFINITE || magnitude(bits_of(b)) > INFINITE;
}

int __eqsf2(float a, float b) {
    return compared(a, b, 1);
}

int __nesf2(float a, float b) {
    return compared(a, b, 1);
}

int __ltsf2(float a, float b) {
    return compared(a, b, 1);
}

int __lesf2(float a, float b) {
    return compared(a, b, 1);
}

int __gtsf2(float a, float b) {
    return compared(a, b, -1);
}

int __gesf2(float a, float b) {
    return compared(a, b, -1);
}
