/* Integer arithmetic that GCC calls and Debian's libgcc for the LX106 does not have; the chip keeps it in
 * ROM.  The linker drops what is not called.  A division by zero gives anything, as in C.
 */
#include <stdint.h>

uint32_t __udivsi3(uint32_t dividend, uint32_t divisor);
uint32_t __umodsi3(uint32_t dividend, uint32_t divisor);
int32_t __divsi3(int32_t dividend, int32_t divisor);
int32_t __modsi3(int32_t dividend, int32_t divisor);
uint64_t __muldi3(uint64_t a, uint64_t b);
uint64_t __udivdi3(uint64_t dividend, uint64_t divisor);
uint64_t __umoddi3(uint64_t dividend, uint64_t divisor);
int64_t __divdi3(int64_t dividend, int64_t divisor);
int64_t __moddi3(int64_t dividend, int64_t divisor);
uint64_t __ashldi3(uint64_t value, int count);
uint64_t __lshrdi3(uint64_t value, int count);
int64_t __ashrdi3(int64_t value, int count);

struct quotient {
    uint32_t quotient;
    uint32_t rest;
};

/* By subtracting the divisor, shifted as far as it goes and then less and less. */
static inline struct quotient divide(uint32_t dividend, uint32_t divisor) {
    struct quotient result = {0, dividend};
    if (divisor == 0 || divisor > dividend) {
        return result;
    }
    int shift = __builtin_clz(divisor) - __builtin_clz(dividend);
    divisor <<= shift;
    for (; shift >= 0; shift--) {
        result.quotient <<= 1;
        if (result.rest >= divisor) {
            result.rest -= divisor;
            result.quotient |= 1;
        }
        divisor >>= 1;
    }
    return result;
}

static inline uint32_t magnitude(int32_t value) {
    return value < 0 ? 0u - (uint32_t)value : (uint32_t)value;
}

static inline int32_t with_sign(uint32_t value, int is_negative) {
    return (int32_t)(is_negative ? 0u - value : value);
}

uint32_t __udivsi3(uint32_t dividend, uint32_t divisor) {
    return divide(dividend, divisor).quotient;
}

uint32_t __umodsi3(uint32_t dividend, uint32_t divisor) {
    return divide(dividend, divisor).rest;
}

int32_t __divsi3(int32_t dividend, int32_t divisor) {
    const uint32_t quotient = divide(magnitude(dividend), magnitude(divisor)).quotient;
    return with_sign(quotient, (dividend ^ divisor) < 0);
}

int32_t __modsi3(int32_t dividend, int32_t divisor) {
    return with_sign(divide(magnitude(dividend), magnitude(divisor)).rest, dividend < 0);
}

/* ---- 64 bits ---- */

uint64_t __muldi3(uint64_t a, uint64_t b) {
    const uint32_t a_high = (uint32_t)(a >> 32), b_high = (uint32_t)(b >> 32);
    const uint32_t a_0 = (uint16_t)a, a_1 = (uint32_t)a >> 16;
    const uint32_t b_0 = (uint16_t)b, b_1 = (uint32_t)b >> 16;
    const uint32_t low = a_0 * b_0;
    const uint32_t middle = a_1 * b_0 + (low >> 16); /* below 2^32 */
    const uint32_t other_middle = a_0 * b_1 + (uint16_t)middle;
    const uint32_t high = a_1 * b_1 + (middle >> 16) + (other_middle >> 16)
        + (uint32_t)a * b_high + a_high * (uint32_t)b;
    return (uint64_t)high << 32 | other_middle << 16 | (uint16_t)low;
}

struct long_quotient {
    uint64_t quotient;
    uint64_t rest;
};

static inline struct long_quotient divide_long(uint64_t dividend, uint64_t divisor) {
    struct long_quotient result = {0, 0};
    for (int bit = 63; bit >= 0; bit--) {
        const uint32_t carry = (uint32_t)(result.rest >> 63);
        result.rest = result.rest << 1 | (dividend >> 63);
        dividend <<= 1;
        result.quotient <<= 1;
        if (carry != 0 || result.rest >= divisor) {
            result.rest -= divisor;
            result.quotient |= 1;
        }
    }
    return result;
}

static inline uint64_t long_magnitude(int64_t value) {
    return value < 0 ? 0u - (uint64_t)value : (uint64_t)value;
}

static inline int64_t long_with_sign(uint64_t value, int is_negative) {
    return (int64_t)(is_negative ? 0u - value : value);
}

uint64_t __udivdi3(uint64_t dividend, uint64_t divisor) {
    return divide_long(dividend, divisor).quotient;
}

uint64_t __umoddi3(uint64_t dividend, uint64_t divisor) {
    return divide_long(dividend, divisor).rest;
}

int64_t __divdi3(int64_t dividend, int64_t divisor) {
    const uint64_t quotient
        = divide_long(long_magnitude(dividend), long_magnitude(divisor)).quotient;
    return long_with_sign(quotient, (dividend ^ divisor) < 0);
}

int64_t __moddi3(int64_t dividend, int64_t divisor) {
    return long_with_sign(
        divide_long(long_magnitude(dividend), long_magnitude(divisor)).rest, dividend < 0);
}

/* Shifts by 0 to 63, which GCC calls where it optimizes for size. */

uint64_t __ashldi3(uint64_t value, int count) {
    const uint32_t low = (uint32_t)value, high = (uint32_t)(value >> 32);
    if (count == 0) {
        return value;
    }
    if (count >= 32) {
        return (uint64_t)(low << (count - 32)) << 32;
    }
    return (uint64_t)(high << count | low >> (32 - count)) << 32 | low << count;
}

uint64_t __lshrdi3(uint64_t value, int count) {
    const uint32_t low = (uint32_t)value, high = (uint32_t)(value >> 32);
    if (count == 0) {
        return value;
    }
    if (count >= 32) {
        return high >> (count - 32);
    }
    return (uint64_t)(high >> count) << 32 | (low >> count | high << (32 - count));
}

int64_t __ashrdi3(int64_t value, int count) {
    const uint64_t bits = (uint64_t)value;
    return (int64_t)(value < 0 ? ~__lshrdi3(~bits, count) : __lshrdi3(bits, count));
}
