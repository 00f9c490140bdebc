/* One instruction of ARMv6-M: the encodings of the ARMv6-M Architecture Reference Manual, chapter A5. */
#ifndef TINYML_THUMB_INSTRUCTIONS_H
#define TINYML_THUMB_INSTRUCTIONS_H

static bits_t with_flags(bits_t result) {
    f[NEGATIVE] = bit_of(result, 31);
    f[ZERO] = zero_bit(result);
    return result;
}

static bits_t with_all_flags(sum_t sum) {
    f[CARRY] = sum.carry;
    f[OVERFLOW] = bit_xor(sum.into_sign, sum.carry);
    return with_flags(sum.bits);
}

static bits_t add(bits_t a, bits_t b, bit_t carry) {
    return with_all_flags(sum_of(a, b, carry, 32));
}

/* A number minus itself is 0, whatever it is; `borrow` is the inverse of the carry. */
static bits_t subtract(bits_t a, bits_t b, bit_t borrow, bool are_same) {
    if (!are_same) {
        return with_all_flags(difference_of(a, b, borrow, 32));
    }
    if (borrow != UNKNOWN) {
        return with_all_flags(difference_of(known(0), known(0), borrow, 32));
    }
    f[OVERFLOW] = 0;
    return with_flags(any(32));
}

static bits_t shifted_left(bits_t a, unsigned by) {
    f[CARRY] = by > 32 ? 0 : bit_of(a, 32 - by);
    return by > 31 ? known(0) : (bits_t){a.value << by, a.unknown << by};
}

static bits_t shifted_right(bits_t a, unsigned by) {
    f[CARRY] = by > 32 ? 0 : bit_of(a, by - 1);
    return by > 31 ? known(0) : (bits_t){a.value >> by, a.unknown >> by};
}

static bits_t shifted_with_sign(bits_t a, unsigned by) {
    const unsigned places = by > 31 ? 31 : by;
    f[CARRY] = by > 31 ? bit_of(a, 31) : bit_of(a, by - 1);
    return (bits_t){(uint32_t)((int32_t)a.value >> places), (uint32_t)((int32_t)a.unknown >> places)};
}

static bits_t rotated(bits_t a, unsigned by) {
    by &= 31;
    const bits_t found = by == 0 ? a
                                 : (bits_t){a.value >> by | a.value << (32 - by), a.unknown >> by | a.unknown << (32 - by)};
    f[CARRY] = bit_of(found, 31);
    return found;
}

enum { LEFT, RIGHT, WITH_SIGN, ROTATED };

static bits_t shifted(bits_t a, int kind, bits_t by) {
    static bits_t (*const ways[])(bits_t, unsigned) = {shifted_left, shifted_right, shifted_with_sign, rotated};
    if ((by.unknown & 0xff) != 0) {
        f[CARRY] = UNKNOWN;
        return with_flags(any(32));
    }
    return with_flags((by.value & 0xff) == 0 ? a : ways[kind](a, by.value & 0xff));
}

static bit_t condition(unsigned number) {
    const bit_t is_less = bit_xor(f[NEGATIVE], f[OVERFLOW]), is_not_zero = bit_not(f[ZERO]);
    const bit_t found[] = {
        f[ZERO],           f[CARRY], f[NEGATIVE], f[OVERFLOW], bit_and(f[CARRY], is_not_zero), bit_not(is_less),
        bit_and(is_not_zero, bit_not(is_less)),
    };
    return number & 1 ? bit_not(found[number >> 1]) : found[number >> 1];
}

/* To the next instruction. */
static void end(uint16_t opcode) {
    took(costs[opcode].cost);
    state.pc += 2;
}

static void jump(bits_t target) {
    if (target.unknown != 0) {
        refuse("jumps to an address that depends on data");
    }
    state.pc = target.value & ~UINT32_C(1);
}

/* 010000: two low registers. */
static void of_low_registers(uint16_t opcode) {
    const unsigned d = opcode & 7, s = opcode >> 3 & 7;
    const bits_t a = r[d], b = r[s];
    switch (opcode >> 6 & 15) {
    case 0:
        r[d] = with_flags(bits_and(a, b));
        break;
    case 1:
        r[d] = with_flags(d == s ? known(0) : bits_xor(a, b));
        break;
    case 2:
        r[d] = shifted(a, LEFT, b);
        break;
    case 3:
        r[d] = shifted(a, RIGHT, b);
        break;
    case 4:
        r[d] = shifted(a, WITH_SIGN, b);
        break;
    case 5:
        r[d] = add(a, b, f[CARRY]);
        break;
    case 6:
        r[d] = subtract(a, b, bit_not(f[CARRY]), d == s);
        break;
    case 7:
        r[d] = shifted(a, ROTATED, b);
        break;
    case 8:
        with_flags(bits_and(a, b)); /* TST */
        break;
    case 9:
        r[d] = subtract(known(0), b, 0, false); /* RSB */
        break;
    case 10:
        subtract(a, b, 0, d == s); /* CMP */
        break;
    case 11:
        add(a, b, 0); /* CMN */
        break;
    case 12:
        r[d] = with_flags(bits_or(a, b));
        break;
    case 13:
        r[d] = with_flags(product_of(a, b));
        break;
    case 14:
        r[d] = with_flags(bits_and(a, bits_not(b, 32)));
        break;
    default:
        r[d] = with_flags(bits_not(b, 32));
    }
    end(opcode);
}

/* 010001: any registers, and branches to them. */
static void of_any_registers(uint16_t opcode) {
    const unsigned d = (opcode & 7) | (opcode >> 4 & 8), s = opcode >> 3 & 15;
    const bits_t target = r[s];
    switch (opcode >> 8 & 3) {
    case 0:
        r[d] = sum_of(r[d], r[s], 0, 32).bits;
        break;
    case 1:
        subtract(r[d], r[s], 0, d == s);
        break;
    case 2:
        r[d] = r[s];
        state.depth -= d == COUNTER && s == LINK;
        break;
    default: /* BX, BLX */
        took(costs[opcode].cost);
        if (opcode & 0x80) {
            r[LINK] = known((state.pc + 2) | 1);
        }
        state.depth += opcode & 0x80 ? 1 : -1;
        jump(target);
        return;
    }
    if (d == COUNTER && (opcode >> 8 & 3) != 1) {
        took(costs[opcode].cost);
        jump(r[COUNTER]);
        return;
    }
    end(opcode);
}

/* 00: shifts, sums and moves with small numbers. */
static void of_small_numbers(uint16_t opcode) {
    const unsigned d = opcode & 7, s = opcode >> 3 & 7, d8 = opcode >> 8 & 7, five = opcode >> 6 & 31;
    const bits_t eight = known(opcode & 255);
    const bits_t other = opcode & 0x400 ? known(opcode >> 6 & 7) : r[opcode >> 6 & 7];
    switch (opcode >> 11) {
    case 0:
        r[d] = shifted(r[s], LEFT, known(five));
        break;
    case 1:
    case 2:
        r[d] = shifted(r[s], opcode >> 11 == 1 ? RIGHT : WITH_SIGN, known(five == 0 ? 32 : five));
        break;
    case 3:
        if (opcode & 0x200) {
            r[d] = subtract(r[s], other, 0, !(opcode & 0x400) && s == (opcode >> 6 & 7));
        } else {
            r[d] = add(r[s], other, 0);
        }
        break;
    case 4:
        r[d8] = with_flags(eight);
        break;
    case 5:
        subtract(r[d8], eight, 0, false);
        break;
    case 6:
        r[d8] = add(r[d8], eight, 0);
        break;
    default:
        r[d8] = subtract(r[d8], eight, 0, false);
    }
    end(opcode);
}

static void load_or_store(uint16_t opcode, unsigned d, bits_t address, unsigned size, bool is_load) {
    if (is_load) {
        r[d] = load(address, size);
    } else {
        store(address, r[d], size);
    }
    end(opcode);
}

/* 0101: an address of two registers. */
static void at_sum(uint16_t opcode) {
    static const uint8_t sizes[] = {4, 2, 1, 1, 4, 2, 1, 2};
    const unsigned d = opcode & 7, kind = opcode >> 9 & 7;
    const bits_t address = sum_of(r[opcode >> 3 & 7], r[opcode >> 6 & 7], 0, 32).bits;
    const bool is_signed = kind == 3 || kind == 7;
    load_or_store(opcode, d, address, sizes[kind], kind >= 3);
    if (is_signed) {
        r[d] = extended(r[d], 8 * sizes[kind], true);
    }
}

/* 011 to 1001: an address of a register and a number. */
static void at_place(uint16_t opcode) {
    const unsigned d = opcode & 7, d8 = opcode >> 8 & 7, five = opcode >> 6 & 31;
    const bits_t base = r[opcode >> 3 & 7];
    const bool is_load = (opcode & 0x800) != 0;
    switch (opcode >> 12) {
    case 6:
        load_or_store(opcode, d, added(base, five * 4, 32), 4, is_load);
        break;
    case 7:
        load_or_store(opcode, d, added(base, five, 32), 1, is_load);
        break;
    case 8:
        load_or_store(opcode, d, added(base, five * 2, 32), 2, is_load);
        break;
    default:
        load_or_store(opcode, d8, added(r[STACK_POINTER], (opcode & 255) * 4, 32), 4, is_load);
    }
}

/* PUSH and POP; the list ends with the link register, or the program counter. */
static void push_registers(uint16_t opcode) {
    const uint32_t count = (uint32_t)__builtin_popcount(opcode & 0x1ff);
    bits_t address = added(r[STACK_POINTER], -4 * count, 32);
    r[STACK_POINTER] = address;
    for (unsigned index = 0; index < 9; index++) {
        if (opcode >> index & 1) {
            store(address, r[index == 8 ? LINK : index], 4);
            address = added(address, 4, 32);
        }
    }
    end(opcode);
}

static void pop_registers(uint16_t opcode) {
    for (unsigned index = 0; index < 8; index++) {
        if (opcode >> index & 1) {
            r[index] = load(r[STACK_POINTER], 4);
            r[STACK_POINTER] = added(r[STACK_POINTER], 4, 32);
        }
    }
    if ((opcode & 0x100) == 0) {
        end(opcode);
        return;
    }
    const bits_t target = load(r[STACK_POINTER], 4);
    r[STACK_POINTER] = added(r[STACK_POINTER], 4, 32);
    took(costs[opcode].cost);
    state.depth--;
    jump(target);
}

/* LDM and STM. */
static void of_list(uint16_t opcode) {
    const unsigned base = opcode >> 8 & 7;
    bits_t address = r[base];
    for (unsigned index = 0; index < 8; index++) {
        if (opcode >> index & 1) {
            if (opcode & 0x800) {
                r[index] = load(address, 4);
            } else {
                store(address, r[index], 4);
            }
            address = added(address, 4, 32);
        }
    }
    if ((opcode & 0x800) == 0 || (opcode >> base & 1) == 0) {
        r[base] = address;
    }
    end(opcode);
}

static bits_t bytes_reversed(bits_t a) {
    return (bits_t){__builtin_bswap32(a.value), __builtin_bswap32(a.unknown)};
}

static bits_t halves_swapped(bits_t a) {
    return (bits_t){a.value >> 16 | a.value << 16, a.unknown >> 16 | a.unknown << 16};
}

/* REV, REV16 and REVSH. */
static void reverse(uint16_t opcode) {
    const unsigned d = opcode & 7, kind = opcode >> 6 & 3;
    const bits_t whole = bytes_reversed(r[opcode >> 3 & 7]);
    const bits_t halves = halves_swapped(whole);
    r[d] = kind == 0 ? whole : kind == 1 ? halves : extended(halves, 16, true);
    end(opcode);
}

/* SXTH, SXTB, UXTH and UXTB. */
static void extend(uint16_t opcode) {
    r[opcode & 7] = extended(r[opcode >> 3 & 7], opcode & 0x40 ? 8 : 16, (opcode & 0x80) == 0);
    end(opcode);
}

/* 1011: what is left. */
static void miscellaneous(uint16_t opcode) {
    switch (opcode >> 8 & 15) {
    case 0: {
        const uint32_t by = (opcode & 127) * 4;
        r[STACK_POINTER] = added(r[STACK_POINTER], opcode & 0x80 ? -by : by, 32);
        break;
    }
    case 2:
        extend(opcode);
        return;
    case 4:
    case 5:
        push_registers(opcode);
        return;
    case 10:
        reverse(opcode);
        return;
    case 12:
    case 13:
        pop_registers(opcode);
        return;
    case 14:
        if ((opcode & 255) != 0xab || begins_in_model) {
            refuse("stops at a breakpoint");
        }
        semihost();
        break;
    default: /* CPSIE, CPSID, NOP */
        if ((opcode & 0xffef) != 0xb662 && opcode != 0xbf00) {
            refuse("has the unknown instruction %04x", opcode);
        }
    }
    end(opcode);
}

/* 1101: a branch on a condition. */
static void branch_if(uint16_t opcode) {
    const unsigned number = opcode >> 8 & 15;
    if (number >= 14) {
        refuse("has the unknown instruction %04x", opcode);
    }
    const uint32_t next = state.pc + 2, there = state.pc + 4 + 2 * (uint32_t)(int8_t)(opcode & 255);
    const cost_t cost = costs[opcode];
    const bit_t found = condition(number);
    if (found == UNKNOWN) {
        fork_to(there, cost.taken, next, cost.cost);
    } else {
        took(found == 1 ? cost.taken : cost.cost);
        state.pc = found == 1 ? there : next;
    }
}

static uint32_t call_target(uint16_t first, uint16_t second) {
    const uint32_t sign = first >> 10 & 1;
    const uint32_t one = (second >> 13 & 1) == sign, two = (second >> 11 & 1) == sign;
    const uint32_t distance = sign << 24 | one << 23 | two << 22 | (first & 0x3ffu) << 12 | (second & 0x7ffu) << 1;
    return state.pc + 4 + (uint32_t)((int32_t)(distance << 7) >> 7);
}

/* 32 bits: BL, barriers, and special registers, which hold nothing that a model reads. */
static void of_two_halves(uint16_t first) {
    const uint16_t second = half_at(state.pc + 2);
    took(cost_of(first | (uint32_t)second << 16, 4).cost);
    if ((first & 0xf800) == 0xf000 && (second & 0xd000) == 0xd000) {
        r[LINK] = known((state.pc + 4) | 1);
        state.depth += !place_at(state.pc)->is_jump;
        state.pc = call_target(first, second);
        return;
    }
    if (first == 0xf3ef) {
        r[second >> 8 & 15] = begins_in_model ? any(32) : known(0);
    } else if (first != 0xf3bf && (first & 0xffe0) != 0xf380) {
        refuse("has the unknown instruction %04x %04x", first, second);
    }
    state.pc += 4;
}

/* 1110: a branch, which may be to the next function. */
static void branch(uint16_t opcode) {
    took(costs[opcode].cost);
    state.pc = state.pc + 4 + (uint32_t)((int32_t)((uint32_t)opcode << 21) >> 20);
}

static void load_constant(uint16_t opcode) {
    r[opcode >> 8 & 7] = load_known(((state.pc + 4) & ~UINT32_C(3)) + (opcode & 255) * 4, 4);
    end(opcode);
}

/* 1010: an address near the program counter, or on the stack. */
static void address_of(uint16_t opcode) {
    const bits_t base = opcode & 0x800 ? r[STACK_POINTER] : known((state.pc + 4) & ~UINT32_C(3));
    r[opcode >> 8 & 7] = added(base, (opcode & 255) * 4, 32);
    end(opcode);
}

typedef void (*instruction_t)(uint16_t);

static const instruction_t by_four_bits[16] = {
    of_small_numbers, of_small_numbers, of_small_numbers, of_small_numbers, NULL,    at_sum,    at_place, at_place,
    at_place,         at_place,         address_of,       miscellaneous,    of_list, branch_if, branch,   of_two_halves,
};

static void step(void) {
    const uint16_t opcode = half_at(state.pc);
    r[COUNTER] = known(state.pc + 4);
    if (opcode >> 12 == 4) {
        if (opcode & 0x800) {
            load_constant(opcode);
        } else if (opcode & 0x400) {
            of_any_registers(opcode);
        } else {
            of_low_registers(opcode);
        }
    } else if (opcode >> 11 == 29) {
        refuse("has the unknown instruction %04x", opcode);
    } else {
        by_four_bits[opcode >> 12](opcode);
    }
}

#endif
