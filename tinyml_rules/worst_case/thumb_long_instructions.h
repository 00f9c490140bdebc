/* Instructions of 32 bits: the encodings of the ARMv7-M Architecture Reference Manual, section A5.3. */
#ifndef TINYML_THUMB_LONG_INSTRUCTIONS_H
#define TINYML_THUMB_LONG_INSTRUCTIONS_H

/* A constant of 12 bits in three places. */
static uint32_t twelve_bits(uint16_t first, uint16_t second) {
    return (uint32_t)(first >> 10 & 1) << 11 | (uint32_t)(second >> 12 & 7) << 8 | (second & 255u);
}

/* What these stand for: a byte, repeated or rotated. */
static bits_t expanded(uint32_t twelve) {
    const uint32_t byte = twelve & 255;
    if (twelve >> 10 != 0) {
        return rotated(known(0x80 | (twelve & 127)), twelve >> 7);
    }
    const uint32_t factors[] = {1, 0x00010001, 0x01000100, 0x01010101};
    return known(byte * factors[twelve >> 8]);
}

static bits_t shifted_operand(uint16_t second) {
    r[second & 15] = (second & 0x70f0) == 0x70e0 ? named(r[second & 15]) : r[second & 15]; /* the mask of its sign */
    const bits_t a = r[second & 15];
    const unsigned kind = second >> 4 & 3, by = (second >> 10 & 0x1c) | (second >> 6 & 3);
    if (kind == ROTATED && by == 0) { /* RRX */
        const bit_t carry = f[CARRY];
        return with_bit(shifted_right(a, 1), 31, carry);
    }
    return shifted_by(a, (int)kind, by == 0 && kind != LEFT ? 32 : by);
}

/* AND to RSB: `number`; the carry is the one before, which only some of them read. */
static bits_t computed(unsigned number, bits_t a, bits_t b, bit_t carry, bool are_same) {
    switch (number) {
    case 0:
        return with_flags(bits_and(a, b));
    case 1:
        return with_flags(bits_and(a, bits_not(b, 32)));
    case 2:
        return with_flags(bits_or(a, b));
    case 3:
        return with_flags(bits_or(a, bits_not(b, 32)));
    case 4:
        return with_flags(are_same ? known(0) : bits_xor(a, b));
    case 8:
        return add(a, b, 0);
    case 10:
        return add(a, b, carry);
    case 11:
        return subtract(a, b, bit_not(carry), are_same);
    case 13:
        return subtract(a, b, 0, are_same);
    case 14:
        return subtract(b, a, 0, are_same);
    default:
        refuse_unknown();
    }
}

/* The operations with a second operand that is a constant or shifted. */
static void of_operands(uint16_t first, uint16_t second, bool is_constant) {
    const unsigned number = first >> 5 & 15, n = first & 15, d = second >> 8 & 15;
    const bit_t carry = f[CARRY];
    sets_flags = first & 0x10;
    const bits_t b = is_constant ? expanded(twelve_bits(first, second)) : shifted_operand(second);
    const bool are_same = !is_constant && n == (second & 15) && (second & 0x70f0) == 0;
    const bits_t a = n == NONE && (number == 2 || number == 3) ? known(0) : r[n]; /* MOV and MVN */
    const bits_t found = computed(number, a, b, carry, are_same);
    if (d != COUNTER) { /* else TST, TEQ, CMN, CMP */
        r[d] = found;
    }
    if (number == 13 && (is_constant || (second & 0x70f0) == 0)) {
        told_difference(d == COUNTER ? NO_REGISTER : (int)d, (int)n, is_constant ? NO_REGISTER : second & 15, b);
    } else if (d != COUNTER) {
        told_result((int)d);
    }
    end();
}

/* PKHBT and PKHTB. */
static void pack(uint16_t first, uint16_t second) {
    sets_flags = false;
    const bits_t a = r[first & 15], b = shifted_operand(second);
    const bool is_upper_of_a = (second & 0x20) == 0;
    const bits_t low = is_upper_of_a ? a : b, high = is_upper_of_a ? b : a;
    r[second >> 8 & 15] = with_lane(lane_of(low, 0, 16), 16, lane_of(high, 16, 16));
    end();
}

/* SSAT and USAT: between the least and the most that fit into so many bits. */
static bits_t saturated(bits_t a, int64_t least, int64_t most) {
    const int64_t first = clamped(least_signed(a, 32), least, most), last = clamped(most_signed(a, 32), least, most);
    if (first == last) {
        return known((uint32_t)first);
    }
    if (least_signed(a, 32) >= least && most_signed(a, 32) <= most) {
        return a;
    }
    return within(any(32), first, last, 32);
}

static void saturate(uint16_t first, uint16_t second) {
    const unsigned width = second & 31, by = (second >> 10 & 0x1c) | (second >> 6 & 3);
    const bool is_signed = (first & 0x80) == 0;
    sets_flags = false;
    if ((first & 0x20) && by == 0) {
        refuse_unknown(); /* SSAT16, USAT16 */
    }
    const bits_t a = first & 0x20 ? shifted_with_sign(r[first & 15], by) : shifted_by(r[first & 15], LEFT, by);
    const int64_t most = (INT64_C(1) << width) - 1;
    r[second >> 8 & 15] = saturated(a, is_signed ? -most - 1 : 0, most);
    end();
}

/* BFI and BFC, SBFX and UBFX. */
static void of_bit_field(uint16_t first, uint16_t second) {
    const unsigned low = (second >> 10 & 0x1c) | (second >> 6 & 3), last = second & 31, n = first & 15;
    bits_t *d = &r[second >> 8 & 15];
    const bits_t a = n == NONE ? known(0) : r[n];
    if ((first >> 4 & 31) == 22) {
        const uint32_t field = low_mask(last + 1) & ~low_mask(low);
        *d = of_bits((d->value & ~field) | (a.value << low & field), (d->unknown & ~field) | (a.unknown << low & field));
    } else {
        *d = extended(of_bits(a.value >> low, a.unknown >> low), last + 1, (first & 0x80) == 0);
    }
    end();
}

/* 11110 with a constant as it is: ADDW, SUBW, ADR, MOVW, MOVT. */
static void of_plain_constant(uint16_t first, uint16_t second) {
    const unsigned n = first & 15, d = second >> 8 & 15;
    const uint32_t twelve = twelve_bits(first, second), sixteen = n << 12 | twelve;
    const bits_t base = n == COUNTER ? known((state.pc + 4) & ~UINT32_C(3)) : r[n];
    switch (first >> 4 & 31) {
    case 0:
        r[d] = added(base, twelve, 32);
        break;
    case 4:
        r[d] = known(sixteen);
        break;
    case 10:
        r[d] = added(base, -twelve, 32);
        break;
    case 12:
        r[d] = with_lane(low_bits(r[d], 16), 16, known(sixteen));
        break;
    case 16:
    case 18:
    case 24:
    case 26:
        saturate(first, second);
        return;
    case 20:
    case 22:
    case 28:
        of_bit_field(first, second);
        return;
    default:
        refuse_unknown();
    }
    end();
}

static uint32_t far_target(uint16_t first, uint16_t second) {
    const uint32_t sign = first >> 10 & 1;
    const uint32_t one = (second >> 13 & 1) == sign, two = (second >> 11 & 1) == sign;
    const uint32_t distance = sign << 24 | one << 23 | two << 22 | (first & 0x3ffu) << 12 | (second & 0x7ffu) << 1;
    return state.pc + 4 + (uint32_t)((int32_t)(distance << 7) >> 7);
}

static uint32_t near_target(uint16_t first, uint16_t second) {
    const uint32_t distance = (first >> 10 & 1u) << 20 | (second >> 11 & 1u) << 19 | (second >> 13 & 1u) << 18
                              | (first & 0x3fu) << 12 | (second & 0x7ffu) << 1;
    return state.pc + 4 + (uint32_t)((int32_t)(distance << 11) >> 11);
}

static bits_t word_of_flags(void) {
    bits_t found = with_bit(known(0), 27, UNKNOWN); /* of saturation, which is not looked at */
    for (int flag = NEGATIVE; flag < GREATER_OR_EQUAL + 4; flag++) {
        found = with_bit(found, places_of_flags[flag], f[flag]);
    }
    return found;
}

static void put_flags(bits_t word, uint16_t second) {
    for (int flag = NEGATIVE; flag < GREATER_OR_EQUAL + 4; flag++) {
        if (second & (flag < GREATER_OR_EQUAL ? 0x800 : 0x400)) {
            f[flag] = bit_of(word, places_of_flags[flag]);
        }
    }
}

/* Barriers, hints, and special registers: those but the flags hold nothing that a model reads. */
static void of_system(uint16_t first, uint16_t second) {
    const bool is_of_flags = (second & 0xff) < 4;
    if (first == 0xf3ef) {
        r[second >> 8 & 15] = is_of_flags ? word_of_flags() : begins_in_model ? any(32) : known(0);
    } else if ((first & 0xffe0) == 0xf380) {
        put_flags(r[first & 15], is_of_flags ? second : 0);
    } else if (first != 0xf3bf && first != 0xf3af) {
        refuse_unknown();
    }
    f[BEGINS_BLOCK] = 1; /* for QEMU a block ends here */
    end();
}

/* 11110 with a second halfword that begins with 1. */
static void of_control(uint16_t first, uint16_t second) {
    const unsigned number = first >> 6 & 15;
    if ((second & 0xd000) == 0xd000) { /* BL */
        r[LINK] = known((state.pc + 4) | 1);
        state.depth += !place_at(state.pc)->is_jump;
        go_to(far_target(first, second));
    } else if ((second & 0xd000) == 0x9000) {
        go_to(far_target(first, second));
    } else if ((second & 0xd000) == 0x8000 && number < 14) {
        branch_where(condition(number), &state.comparison, relation_of(number), near_target(first, second));
    } else {
        of_system(first, second);
    }
}

/* The address of a load or store of 1111 100; it may be written back, before or after. */
static bits_t single_address(uint16_t first, uint16_t second) {
    const unsigned n = first & 15;
    const uint32_t eight = second & 0x200 ? second & 255u : -(second & 255u);
    if (n == COUNTER) {
        const bits_t here = known((state.pc + 4) & ~UINT32_C(3));
        return added(here, first & 0x80 ? second & 0xfffu : -(second & 0xfffu), 32);
    }
    if (first & 0x80) {
        return added(r[n], second & 0xfff, 32);
    }
    if ((second & 0x800) == 0) {
        const unsigned by = second >> 4 & 3;
        const bits_t index = r[second & 15];
        return sum_of(r[n], shifted_left_range(of_bits(index.value << by, index.unknown << by), index, by), 0, 32).bits;
    }
    const bits_t before = r[n], moved = added(before, eight, 32);
    r[n] = second & 0x100 ? moved : before;
    return second & 0x400 ? moved : before;
}

/* 1111 100: loads and stores of one register, and PLD, which is a hint. */
static void of_single(uint16_t first, uint16_t second) {
    const unsigned t = second >> 12, size = 1u << (first >> 5 & 3);
    const bool is_return = (first & 15) == STACK_POINTER && (second & 0xd00) == 0x900;
    if (size > 4) {
        refuse_unknown();
    }
    const bits_t stored = r[t];
    const bits_t address = single_address(first, second);
    if ((first & 0x10) == 0) {
        store(address, stored, size);
    } else if (t != COUNTER) {
        r[t] = extended(load(address, size), 8 * size, size < 4 && (first & 0x100));
    } else if (size == 4) {
        state.depth -= is_return;
        jump(load(address, 4));
        return;
    }
    end();
}

/* LDMIA, LDMDB, STMIA, STMDB, PUSH and POP. */
static void of_long_list(uint16_t first, uint16_t list) {
    move_list(first & 15, list, first & 0x10, first & 0x80, first & 0x20);
}

/* TBB and TBH. */
static void jump_by_table(uint16_t first, uint16_t second) {
    const unsigned size = second & 0x10 ? 2 : 1;
    const bits_t base = (first & 15) == COUNTER ? known(state.pc + 4) : r[first & 15];
    const bits_t index = r[second & 15];
    const bits_t place = sum_of(base, of_bits(index.value * size, index.unknown * size), 0, 32).bits;
    const bits_t entry = load(place, size);
    jump(added(of_bits(entry.value << 1, entry.unknown << 1), state.pc + 4, 32));
}

/* LDRD and STRD, and TBB. */
static void of_two_registers(uint16_t first, uint16_t second) {
    const unsigned n = first & 15, low = second >> 12, high = second >> 8 & 15;
    const uint32_t offset = 4 * (second & 255u);
    if ((first & 0xfff0) == 0xe8d0 && (second & 0xffe0) == 0xf000) {
        jump_by_table(first, second);
        return;
    }
    if ((first & 0x120) == 0) {
        refuse_unknown(); /* LDREX, STREX */
    }
    const bits_t base = n == COUNTER ? known((state.pc + 4) & ~UINT32_C(3)) : r[n];
    const bits_t moved = added(base, first & 0x80 ? offset : -offset, 32);
    const bits_t at = first & 0x100 ? moved : base, behind = added(at, 4, 32);
    if (first & 0x10) {
        const bits_t found = load(at, 4);
        r[high] = load(behind, 4);
        r[low] = found;
    } else {
        store(at, r[low], 4);
        store(behind, r[high], 4);
    }
    if (first & 0x20) {
        r[n] = moved;
    }
    end();
}

static void of_memory_or_operands(uint16_t first, uint16_t second) {
    if (first & 0x400) {
        of_coprocessor(first, second);
    } else if ((first & 0x3e0) == 0x2c0) {
        pack(first, second);
    } else if (first & 0x200) {
        of_operands(first, second, false);
    } else if (first & 0x40) {
        of_two_registers(first, second);
    } else {
        of_long_list(first, second);
    }
}

static void execute_long(uint16_t first, uint16_t second) {
    switch (first >> 11) {
    case 29:
        of_memory_or_operands(first, second);
        return;
    case 30:
        if (second & 0x8000) {
            of_control(first, second);
        } else if (first & 0x200) {
            of_plain_constant(first, second);
        } else {
            of_operands(first, second, true);
        }
        return;
    default:
        if ((first & 0x600) == 0) {
            of_single(first, second);
        } else if ((first & 0x780) == 0x200 || (first & 0x780) == 0x280) {
            of_long_registers(first, second);
        } else if ((first & 0x700) == 0x300) {
            multiply_or_divide(first, second);
        } else {
            refuse_unknown();
        }
    }
}

#endif
