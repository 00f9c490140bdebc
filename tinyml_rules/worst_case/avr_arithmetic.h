/* What AVR's instructions do with registers and flags. */
#ifndef TINYML_AVR_ARITHMETIC_H
#define TINYML_AVR_ARITHMETIC_H

FAST bits_t with_flags(bits_t result) {
    f[ZERO] = zero_bit_of(result, 8);
    f[NEGATIVE] = bit_of(result, 7);
    f[SIGN] = bit_xor(f[NEGATIVE], f[OVERFLOW]);
    return result;
}

/* From bit 3 to bit 4. */
FAST bit_t half_carry(bits_t a, bits_t b, bit_t carry) {
    return carry_between((least_of(a) & 15) + (least_of(b) & 15) + (carry == 1),
                         (most_of(a) & 15) + (most_of(b) & 15) + (carry != 0), 4);
}

FAST bits_t add(bits_t a, bits_t b, bit_t carry) {
    const sum_t sum = sum_of(a, b, carry, 8);
    f[HALF] = half_carry(a, b, carry);
    f[CARRY] = sum.carry;
    f[OVERFLOW] = sum.overflow;
    return with_flags(sum.bits);
}

/* SIGN is that of the exact difference, which its limits may tell although other flags are unknown. */
FAST bits_t subtract(bits_t a, bits_t b, bit_t borrow, bool keeps_zero) {
    const bit_t was_zero = f[ZERO];
    const sum_t difference = difference_of(a, b, borrow, 8);
    f[HALF] = bit_not(half_carry(a, bits_not(b, 8), bit_not(borrow)));
    f[CARRY] = bit_not(difference.carry);
    f[OVERFLOW] = difference.overflow;
    with_flags(difference.bits);
    const int most = most_signed(a, 8) - least_signed(b, 8) - (borrow == 1);
    const int least = least_signed(a, 8) - most_signed(b, 8) - (borrow != 0);
    f[SIGN] = most < 0 ? 1 : least >= 0 ? 0 : UNKNOWN;
    if (keeps_zero) {
        f[ZERO] = bit_and(was_zero, f[ZERO]);
    }
    return difference.bits;
}

FAST bits_t logical(bits_t result) {
    f[OVERFLOW] = 0;
    return with_flags(result);
}

FAST bits_t shifted_right(bits_t a, bit_t top) {
    f[CARRY] = bit_of(a, 0);
    const bits_t result = with_bit(of_bits(a.value >> 1, a.unknown >> 1), 7, top);
    f[OVERFLOW] = bit_xor(bit_of(result, 7), f[CARRY]);
    return with_flags(result);
}

/* INC and DEC; `from` is the value that overflows. */
static bits_t counted(bits_t a, uint32_t by, uint32_t from) {
    const int8_t number = (int8_t)from;
    f[OVERFLOW] = least_signed(a, 8) > number || most_signed(a, 8) < number ? 0 : a.unknown != 0 ? UNKNOWN : 1;
    return with_flags(added(a, by, 8));
}

static bits_t negated(bits_t a) {
    return subtract(known(0), a, 0, false);
}

static void put_product(bits_t product, bool is_shifted) {
    f[CARRY] = bit_of(product, 15);
    if (is_shifted) {
        product = of_bits(product.value << 1 & 0xffff, product.unknown << 1 & 0xffff);
    }
    f[ZERO] = zero_bit(product);
    put_pair(0, product);
}

static void multiply(unsigned d, unsigned s, bool is_d_signed, bool is_s_signed, bool is_shifted) {
    const bits_t product = product_of(extended(r[d], 8, is_d_signed), extended(r[s], 8, is_s_signed));
    put_product(low_bits(product, 16), is_shifted);
}

/* ADIW and SBIW, byte by byte: of each its range is known. */
static void add_to_pair(unsigned low, uint32_t amount, bool is_subtracted) {
    const bit_t before = bit_of(r[low + 1], 7);
    const sum_t first = is_subtracted ? difference_of(r[low], known(amount), 0, 8) : sum_of(r[low], known(amount), 0, 8);
    const sum_t sum = sum_of(r[low + 1], known(is_subtracted ? 0xff : 0), first.carry, 8);
    r[low] = first.bits;
    r[low + 1] = sum.bits;
    const bit_t after = bit_of(r[low + 1], 7);
    f[CARRY] = is_subtracted ? bit_not(sum.carry) : sum.carry;
    f[OVERFLOW] = is_subtracted ? bit_and(before, bit_not(after)) : bit_and(bit_not(before), after);
    f[NEGATIVE] = after;
    f[ZERO] = bit_and(zero_bit_of(r[low], 8), zero_bit_of(r[low + 1], 8));
    f[SIGN] = bit_xor(f[NEGATIVE], f[OVERFLOW]);
}

#endif
