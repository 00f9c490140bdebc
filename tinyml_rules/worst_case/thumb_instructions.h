/* Instructions of 16 bits: the encodings of the ARMv7-M Architecture Reference Manual, section A5.2, of which ARMv6-M has
 * all but IT, CBZ and CBNZ. */
#ifndef TINYML_THUMB_INSTRUCTIONS_H
#define TINYML_THUMB_INSTRUCTIONS_H

/* To the next instruction. */
static void end(void) {
    state.pc += current->size_bytes;
}

static void go_to(uint32_t address) {
    f[BEGINS_BLOCK] = 1;
    state.pc = address;
}

static void jump(bits_t target) {
    if (target.unknown != 0) {
        f[BEGINS_BLOCK] = 1;
        jump_by_cases(with_bit(target, 0, 0));
    } else {
        go_to(target.value & ~UINT32_C(1));
    }
}

__attribute__((noreturn)) static void refuse_unknown(void) {
    refuse("has the unknown instruction %04x %04x", current->first, current->second);
}

/* There if it is so, and the relation holds, else to the next instruction. */
static void branch_where(bit_t is_so, const comparison_t *one, relation_t relation, uint32_t there) {
    const unsigned more = current->taken - current->cost;
    keep_comparison();
    if (is_so == UNKNOWN) {
        fork_to(one, relation, there, more, state.pc + current->size_bytes, 0);
    } else if (is_so == 1) {
        took(more);
        state.pc = there;
    } else {
        end();
    }
}

/* TST, CMP and CMN. */
static bool is_comparison(unsigned number) {
    return number == 8 || number == 10 || number == 11;
}

/* 010000: two low registers. */
static void of_low_registers(uint16_t opcode) {
    const unsigned d = opcode & 7, s = opcode >> 3 & 7;
    const unsigned number = opcode >> 6 & 15;
    r[s] = number == 15 ? named(r[s]) : r[s];
    const bits_t a = r[d], b = r[s];
    sets_flags = sets_flags || is_comparison(number);
    switch (number) {
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
        told_difference(NO_REGISTER, (int)d, (int)s, b);
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
    if (!is_comparison(number)) {
        told_result((int)d);
    }
    end();
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
        sets_flags = true;
        subtract(r[d], r[s], 0, d == s);
        told_difference(NO_REGISTER, (int)d, (int)s, r[s]);
        break;
    case 2:
        r[d] = r[s];
        state.depth -= d == COUNTER && s == LINK;
        break;
    default: /* BX, BLX */
        if (opcode & 0x80) {
            r[LINK] = known((state.pc + 2) | 1);
        }
        state.depth += opcode & 0x80 ? 1 : -1;
        jump(target);
        return;
    }
    if (d == COUNTER && (opcode >> 8 & 3) != 1) {
        jump(r[COUNTER]);
        return;
    }
    end();
}

/* 00: shifts, sums and moves with small numbers. */
static void of_small_numbers(uint16_t opcode) {
    const unsigned d = opcode & 7, s = opcode >> 3 & 7, d8 = opcode >> 8 & 7, five = opcode >> 6 & 31;
    const bits_t eight = known(opcode & 255);
    const bits_t other = opcode & 0x400 ? known(opcode >> 6 & 7) : r[opcode >> 6 & 7];
    switch (opcode >> 11) {
    case 0:
        r[d] = shifted(r[s], LEFT, known(five));
        told_result((int)d);
        break;
    case 1:
    case 2:
        r[s] = five == 31 ? named(r[s]) : r[s];
        r[d] = shifted(r[s], opcode >> 11 == 1 ? RIGHT : WITH_SIGN, known(five == 0 ? 32 : five));
        told_result((int)d);
        break;
    case 3:
        if (opcode & 0x200) {
            r[d] = subtract(r[s], other, 0, !(opcode & 0x400) && s == (opcode >> 6 & 7));
            told_difference((int)d, (int)s, opcode & 0x400 ? NO_REGISTER : opcode >> 6 & 7, other);
        } else {
            r[d] = add(r[s], other, 0);
            told_result((int)d);
        }
        break;
    case 4:
        r[d8] = with_flags(eight);
        break;
    case 5:
        sets_flags = true;
        subtract(r[d8], eight, 0, false);
        told_difference(NO_REGISTER, (int)d8, NO_REGISTER, eight);
        break;
    case 6:
        r[d8] = add(r[d8], eight, 0);
        told_result((int)d8);
        break;
    default:
        r[d8] = subtract(r[d8], eight, 0, false);
        told_result((int)d8);
    }
    end();
}

static void load_or_store(unsigned d, bits_t address, unsigned size, bool is_load) {
    if (is_load) {
        r[d] = load(address, size);
    } else {
        store(address, r[d], size);
    }
    end();
}

/* 0101: an address of two registers. */
static void at_sum(uint16_t opcode) {
    static const uint8_t sizes[] = {4, 2, 1, 1, 4, 2, 1, 2};
    const unsigned d = opcode & 7, kind = opcode >> 9 & 7;
    const bits_t address = sum_of(r[opcode >> 3 & 7], r[opcode >> 6 & 7], 0, 32).bits;
    const bool is_signed = kind == 3 || kind == 7;
    load_or_store(d, address, sizes[kind], kind >= 3);
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
        load_or_store(d, added(base, five * 4, 32), 4, is_load);
        break;
    case 7:
        load_or_store(d, added(base, five, 32), 1, is_load);
        break;
    case 8:
        load_or_store(d, added(base, five * 2, 32), 2, is_load);
        break;
    default:
        load_or_store(d8, added(r[STACK_POINTER], (opcode & 255) * 4, 32), 4, is_load);
    }
}

/* Loads or stores the registers of a list, a bit each, in the words from the address in `base` on, or in those before it;
 * `writes`: the base becomes the other end of them. */
static void move_list(unsigned base, uint32_t list, bool is_load, bool is_up, bool writes) {
    const uint32_t bytes = 4 * (uint32_t)__builtin_popcount(list);
    const bits_t moved = added(r[base], is_up ? bytes : -bytes, 32);
    bits_t address = is_up ? r[base] : moved;
    bits_t counter = known(0);
    for (unsigned index = 0; index < 16; index++) {
        if ((list >> index & 1) == 0) {
            continue;
        }
        if (!is_load) {
            store(address, r[index], 4);
        } else if (index == COUNTER) {
            counter = load(address, 4);
        } else {
            r[index] = load(address, 4);
        }
        address = added(address, 4, 32);
    }
    if (writes) {
        r[base] = moved;
    }
    if (is_load && list >> COUNTER & 1) {
        state.depth--;
        jump(counter);
        return;
    }
    end();
}

/* PUSH and POP: the ninth bit of the list is the link register, or the program counter. */
static void push_registers(uint16_t opcode) {
    move_list(STACK_POINTER, (opcode & 255u) | (opcode >> 8 & 1u) << LINK, false, false, true);
}

static void pop_registers(uint16_t opcode) {
    move_list(STACK_POINTER, (opcode & 255u) | (opcode >> 8 & 1u) << COUNTER, true, true, true);
}

/* LDM and STM; a base that is loaded is not written back. */
static void of_list(uint16_t opcode) {
    const unsigned base = opcode >> 8 & 7;
    const bool is_load = opcode & 0x800;
    move_list(base, opcode & 255u, is_load, true, !is_load || (opcode >> base & 1) == 0);
}

/* REV, REV16 and REVSH. */
static void reverse(uint16_t opcode) {
    const unsigned d = opcode & 7, kind = opcode >> 6 & 3;
    const bits_t whole = bytes_reversed(r[opcode >> 3 & 7]);
    const bits_t halves = reversed_bytes_of_halves(r[opcode >> 3 & 7]);
    r[d] = kind == 0 ? whole : kind == 1 ? halves : extended(halves, 16, true);
    end();
}

/* SXTH, SXTB, UXTH and UXTB. */
static void extend(uint16_t opcode) {
    r[opcode & 7] = extended(r[opcode >> 3 & 7], opcode & 0x40 ? 8 : 16, (opcode & 0x80) == 0);
    end();
}

/* CBZ and CBNZ. */
static void branch_if_zero(uint16_t opcode) {
    const uint32_t distance = (opcode >> 3 & 0x40u) | (opcode >> 2 & 0x3eu);
    const bit_t is_zero = zero_bit_of(r[opcode & 7], 32);
    const comparison_t one = result_in(opcode & 7);
    const bool is_inverse = (opcode & 0x800) != 0;
    branch_where(is_inverse ? bit_not(is_zero) : is_zero, &one, is_inverse ? NOT_EQUAL : EQUAL, state.pc + 4 + distance);
}

/* 1011: what is left. */
static void miscellaneous(uint16_t opcode) {
    switch (opcode >> 8 & 15) {
    case 0: {
        const uint32_t by = (opcode & 127) * 4;
        r[STACK_POINTER] = added(r[STACK_POINTER], opcode & 0x80 ? -by : by, 32);
        break;
    }
    case 1:
    case 3:
    case 9:
    case 11:
        branch_if_zero(opcode);
        return;
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
        r[0] = semihost(r[0], r[1]);
        break;
    default: /* CPSIE, CPSID, NOP, IT */
        if ((opcode & 0xff00) == 0xbf00 && (opcode & 15) != 0) {
            r[IT_STATE] = known(opcode & 255);
            keep_comparison();
        } else if ((opcode & 0xffef) != 0xb662 && opcode != 0xbf00) {
            refuse_unknown();
        }
    }
    end();
}

/* 1101: a branch on a condition. */
static void branch_if(uint16_t opcode) {
    const unsigned number = opcode >> 8 & 15;
    if (number >= 14) {
        refuse_unknown();
    }
    branch_where(condition(number), &state.comparison, relation_of(number), state.pc + 4 + 2 * (uint32_t)(int8_t)(opcode & 255));
}

/* 1110: a branch, which may be to the next function. */
static void branch(uint16_t opcode) {
    go_to(state.pc + 4 + (uint32_t)((int32_t)((uint32_t)opcode << 21) >> 20));
}

static void load_constant(uint16_t opcode) {
    r[opcode >> 8 & 7] = load(known(((state.pc + 4) & ~UINT32_C(3)) + (opcode & 255) * 4), 4);
    end();
}

/* 1010: an address near the program counter, or on the stack. */
static void address_of(uint16_t opcode) {
    const bits_t base = opcode & 0x800 ? r[STACK_POINTER] : known((state.pc + 4) & ~UINT32_C(3));
    r[opcode >> 8 & 7] = added(base, (opcode & 255) * 4, 32);
    end();
}

typedef void (*execute_t)(uint16_t);

static const execute_t by_four_bits[16] = {
    of_small_numbers, of_small_numbers, of_small_numbers, of_small_numbers, NULL,    at_sum,    at_place, at_place,
    at_place,         at_place,         address_of,       miscellaneous,    of_list, branch_if, branch,   NULL,
};

static void execute_short(uint16_t opcode) {
    if (opcode >> 12 != 4) {
        by_four_bits[opcode >> 12](opcode);
    } else if (opcode & 0x800) {
        load_constant(opcode);
    } else if (opcode & 0x400) {
        of_any_registers(opcode);
    } else {
        of_low_registers(opcode);
    }
}

#endif
