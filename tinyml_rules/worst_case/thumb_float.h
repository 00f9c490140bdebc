/* Instructions of an FPU with single precision: the encodings of the ARMv7-M Architecture Reference Manual, section A5.3.18.
 * Its registers are used for other values too. */
#ifndef TINYML_THUMB_FLOAT_H
#define TINYML_THUMB_FLOAT_H

/* The first of two single registers that are one double register, or a single one. */
static unsigned float_number(unsigned number, unsigned bit, bool is_double) {
    return is_double ? 2 * (number | bit << 4) : number << 1 | bit;
}

static bits_t *single(unsigned number) {
    if (number >= 32) {
        refuse_unknown();
    }
    return &r[SINGLE + number];
}

/* `count` single registers from `number` on. */
static void move_floats(bits_t address, unsigned number, unsigned count, bool is_load) {
    for (unsigned index = 0; index < count; index++) {
        if (is_load) {
            *single(number + index) = load(address, 4);
        } else {
            store(address, *single(number + index), 4);
        }
        address = added(address, 4, 32);
    }
}

/* VLDR, VSTR, VLDM, VSTM, VPUSH and VPOP. */
static void load_or_store_floats(uint16_t first, uint16_t second) {
    const bool is_double = second & 0x100, is_load = first & 0x10, is_up = first & 0x80, writes = first & 0x20;
    const unsigned number = float_number(second >> 12, first >> 6 & 1, is_double), words = second & 255;
    const unsigned base = first & 15;
    const bits_t from = base == COUNTER ? known((state.pc + 4) & ~UINT32_C(3)) : r[base];
    if ((first & 0x100) != 0 && !writes) {
        move_floats(added(from, is_up ? 4 * words : -4 * words, 32), number, is_double ? 2 : 1, is_load);
    } else {
        const bits_t moved = added(from, is_up ? 4 * words : -4 * words, 32);
        move_floats(is_up ? from : moved, number, words, is_load);
        r[base] = writes ? moved : r[base];
    }
    end();
}

/* VMOV of two core registers, to or from a double or two single ones. */
static void move_two(uint16_t first, uint16_t second) {
    const unsigned number = float_number(second & 15, second >> 5 & 1, second & 0x100);
    const unsigned low = second >> 12, high = first & 15;
    if (first & 0x10) {
        r[low] = *single(number);
        r[high] = *single(number + 1);
    } else {
        *single(number) = r[low];
        *single(number + 1) = r[high];
    }
    end();
}

/* VMRS, also to the flags, and VMSR. */
static void move_status(unsigned number, bool is_read) {
    if (!is_read) {
        r[FLOAT_STATUS] = bits_or(r[number], of_bits(0, EXCEPTIONS));
        f[BEGINS_BLOCK] = 1; /* for QEMU a block ends here */
    } else if (number == COUNTER) {
        for (int flag = NEGATIVE; flag <= OVERFLOW; flag++) {
            f[flag] = bit_of(r[FLOAT_STATUS], places_of_flags[flag]);
        }
    } else {
        r[number] = bits_or(r[FLOAT_STATUS], of_bits(0, EXCEPTIONS));
    }
    end();
}

/* 1110 1110 1x11: those of one operand; the number is that of the first halfword's last four bits. */
static void of_one_real(uint16_t first, uint16_t second, bits_t *d, bits_t m) {
    const bool is_upper = second & 0x80;
    if ((second & 0x40) == 0) {
        *d = known(expanded_real((first & 15u) << 4 | (second & 15u)));
        return;
    }
    switch (first & 15) {
    case 0: /* VMOV, VABS */
        *d = is_upper ? with_bit(m, SIGN_PLACE, 0) : m;
        break;
    case 1: /* VNEG, VSQRT */
        *d = is_upper ? square_root(m) : negated(m);
        break;
    case 4: /* VCMP */
        compare_reals(*d, m);
        break;
    case 5:
        compare_reals(*d, known(0));
        break;
    case 8: /* VCVT */
        *d = real_of_integer(m, is_upper);
        break;
    case 12:
    case 13:
        *d = integer_of_real(m, first & 1, is_upper);
        break;
    default:
        refuse_unknown();
    }
}

/* 1110 1110 with bit 4 of the second halfword 0. */
static void compute_real(uint16_t first, uint16_t second) {
    bits_t *d = single(float_number(second >> 12, first >> 6 & 1, false));
    const bits_t n = *single(float_number(first & 15, second >> 7 & 1, false));
    const bits_t m = *single(float_number(second & 15, second >> 5 & 1, false));
    const bool is_other = second & 0x40;
    const bits_t minus = is_other ? negated(n) : n, product = real_result(PRODUCT, n, m);
    const bits_t signed_product = is_other ? negated(product) : product;
    switch (first >> 4 & 11) {
    case 0: /* VMLA, VMLS */
        *d = real_result(SUM, *d, signed_product);
        break;
    case 1: /* VNMLS, VNMLA */
        *d = real_result(SUM, negated(*d), signed_product);
        break;
    case 2: /* VMUL, VNMUL */
        *d = signed_product;
        break;
    case 3: /* VADD, VSUB */
        *d = real_result(is_other ? DIFFERENCE : SUM, n, m);
        break;
    case 8:
        *d = real_result(QUOTIENT, n, m); /* VDIV */
        break;
    case 9: /* VFNMS, VFNMA */
        *d = fused(negated(*d), minus, m);
        break;
    case 10: /* VFMA, VFMS */
        *d = fused(*d, minus, m);
        break;
    default:
        of_one_real(first, second, d, m);
    }
    end();
}

/* 1110 11. */
static void of_coprocessor(uint16_t first, uint16_t second) {
    const bool is_float = (second & 0xe00) == 0xa00 && first >> 8 != 0xfe && first >> 8 != 0xfc;
    if (!is_float) {
        refuse_unknown();
    }
    if ((first & 0xffe0) == 0xec40 && (second & 0xd0) == 0x10) {
        move_two(first, second);
    } else if ((first & 0xfe00) == 0xec00) {
        load_or_store_floats(first, second);
    } else if ((first & 0xffe0) == 0xee00 && (second & 0xf7f) == 0xa10) { /* VMOV of one register */
        bits_t *one = single(float_number(first & 15, second >> 7 & 1, false));
        bits_t *core = &r[second >> 12];
        *(first & 0x10 ? core : one) = *(first & 0x10 ? one : core);
        end();
    } else if ((first & 0xffef) == 0xeee1 && (second & 0xfff) == 0xa10) {
        move_status(second >> 12, first & 0x10);
    } else if ((second & 0x110) == 0) {
        compute_real(first, second);
    } else {
        refuse_unknown();
    }
}

#endif
