/* Multiplications and divisions of ARMv7-M and of its DSP extension: the ARMv7-M Architecture Reference Manual, sections
 * A5.3.16 and A5.3.17. */
#ifndef TINYML_THUMB_PRODUCTS_H
#define TINYML_THUMB_PRODUCTS_H

enum { NONE = 15 }; /* instead of a register to which a product is added */

/* Registers of a product. */
typedef struct {
    bits_t a;
    bits_t b;
    unsigned low;  /* the register of what is added, or of the lower half */
    unsigned high; /* of the result, or of its upper half */
    unsigned kind; /* bits 4 to 7 of the second halfword */
} product_t;

static bool are_known(const product_t *one) {
    return (one->a.unknown | one->b.unknown) == 0;
}

static int64_t half_of(bits_t a, bool is_upper) {
    return (int16_t)(a.value >> (is_upper ? 16 : 0));
}

/* Of the halves of both: the upper half of one of them by the lower one of the other one where they are crossed. */
static int64_t sum_of_halves(const product_t *one, bool is_crossed, bool is_difference) {
    const int64_t low = half_of(one->a, false) * half_of(one->b, is_crossed);
    const int64_t high = half_of(one->a, true) * half_of(one->b, !is_crossed);
    return is_difference ? low - high : low + high;
}

/* The upper half of a product, with what is added above it. */
static uint32_t upper_half(const product_t *one, uint32_t added_above, bool is_difference) {
    const uint64_t product = (uint64_t)((int64_t)(int32_t)one->a.value * (int32_t)one->b.value);
    const uint64_t above = (uint64_t)added_above << 32, rounding = one->kind & 1 ? UINT64_C(0x80000000) : 0;
    return (uint32_t)(((is_difference ? above - product : above + product) + rounding) >> 32);
}

static uint32_t difference_of_bytes(const product_t *one) {
    uint32_t sum = 0;
    for (unsigned at = 0; at < 32; at += 8) {
        sum += (uint32_t)abs((int)(one->a.value >> at & 255) - (int)(one->b.value >> at & 255));
    }
    return sum;
}

/* What is added to it, in the operation `number`; all bits are known. */
static uint32_t known_product(unsigned number, const product_t *one) {
    switch (number) {
    case 1: /* SMULBB */
        return (uint32_t)(half_of(one->a, one->kind & 2) * half_of(one->b, one->kind & 1));
    case 2: /* SMUAD */
        return (uint32_t)sum_of_halves(one, one->kind & 1, false);
    case 3: /* SMULWB */
        return (uint32_t)((int32_t)one->a.value * half_of(one->b, one->kind & 1) >> 16);
    case 4: /* SMUSD */
        return (uint32_t)sum_of_halves(one, one->kind & 1, true);
    case 7: /* USAD8 */
        return difference_of_bytes(one);
    default:
        refuse_unknown();
    }
}

/* SMMUL, SMMLA and SMMLS. */
static bits_t upper_product(const product_t *one, bool is_difference) {
    const bits_t above = one->low == NONE ? known(0) : r[one->low];
    return are_known(one) && above.unknown == 0 ? known(upper_half(one, above.value, is_difference)) : any(32);
}

/* A product of 32 bits, and to what it is added. */
static bits_t short_product(unsigned number, const product_t *one) {
    const bits_t more = one->low == NONE ? known(0) : r[one->low];
    if (number == 5 || number == 6) {
        return upper_product(one, number == 6);
    }
    if (number == 0) {
        const bits_t product = product_of(one->a, one->b);
        return one->kind & 1 ? difference_of(more, product, 0, 32).bits : sum_of(more, product, 0, 32).bits;
    }
    return are_known(one) ? sum_of(more, known(known_product(number, one)), 0, 32).bits : any(32);
}

/* The product of 64 bits in an operation; all bits are known. */
static uint64_t long_product(unsigned number, const product_t *one) {
    if (one->kind == 6 && number == 6) { /* UMAAL */
        return (uint64_t)one->a.value * one->b.value;
    }
    if (one->kind == 0) {
        return number & 2 ? (uint64_t)one->a.value * one->b.value
                          : (uint64_t)((int64_t)(int32_t)one->a.value * (int32_t)one->b.value);
    }
    if (number == 4 && one->kind >> 2 == 2) { /* SMLALBB */
        return (uint64_t)(half_of(one->a, one->kind & 2) * half_of(one->b, one->kind & 1));
    }
    if ((number == 4 || number == 5) && one->kind >> 1 == 6) { /* SMLALD, SMLSLD */
        return (uint64_t)sum_of_halves(one, one->kind & 1, number == 5);
    }
    refuse_unknown();
}

static void multiply_long(unsigned number, const product_t *one) {
    const bits_t low = r[one->low], high = r[one->high];
    const bool is_added = number >= 4, adds_both = number == 6 && one->kind == 6;
    uint64_t more = is_added ? low.value | (uint64_t)high.value << 32 : 0;
    if (adds_both) {
        more = (uint64_t)low.value + high.value;
    }
    if (!are_known(one) || (is_added && (low.unknown | high.unknown) != 0)) {
        r[one->low] = r[one->high] = any(32);
        return;
    }
    const uint64_t found = more + long_product(number, one);
    r[one->low] = known((uint32_t)found);
    r[one->high] = known((uint32_t)(found >> 32));
}

/* SDIV and UDIV; by 0 it is 0. */
static bits_t quotient_of(const product_t *one, bool is_signed) {
    const uint32_t a = one->a.value, b = one->b.value;
    if (!are_known(one)) {
        if (is_zero(one->a) || is_zero(one->b)) {
            return known(0);
        }
        return is_signed ? quotient_signed(one->a, one->b) : quotient_unsigned(one->a, one->b);
    }
    if (b == 0) {
        return known(0);
    }
    return known(is_signed ? (uint32_t)((int64_t)(int32_t)a / (int32_t)b) : a / b);
}

/* 1111 1011. */
static void multiply_or_divide(uint16_t first, uint16_t second) {
    const product_t one = {r[first & 15], r[second & 15], second >> 12, second >> 8 & 15, second >> 4 & 15};
    const unsigned number = first >> 4 & 7;
    if ((first & 0x80) == 0) {
        r[one.high] = short_product(number, &one);
    } else if ((number == 1 || number == 3) && one.kind == 15) {
        r[one.high] = quotient_of(&one, number == 1);
    } else {
        multiply_long(number, &one);
    }
    end();
}

#endif
