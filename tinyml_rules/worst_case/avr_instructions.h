/* One instruction of an AVR: the opcodes of the AVR Instruction Set Manual, and the cycles of its cores with MUL. */
#ifndef TINYML_AVR_INSTRUCTIONS_H
#define TINYML_AVR_INSTRUCTIONS_H

static void end(unsigned cycles, unsigned words) {
    took(cycles);
    state.pc += 2 * words;
}

/* LDS, STS, JMP and CALL have two words. */
static bool has_two_words(uint16_t opcode) {
    return (opcode & 0xfe0c) == 0x940c || (opcode & 0xfc0f) == 0x9000;
}

static void push_address(uint32_t address) {
    const uint32_t word = address >> 1;
    for (unsigned index = 0; index < address_bytes; index++) {
        push(known(word >> 8 * index & 0xff));
    }
}

/* A call of the next instruction makes room on the stack. */
static void call(uint32_t target, uint32_t back, unsigned cycles) {
    took(cycles);
    push_address(back);
    state.depth += target != back;
    state.pc = target;
}

static void return_to_caller(void) {
    uint32_t word = 0;
    for (unsigned index = 0; index < address_bytes; index++) {
        const bits_t byte = pop();
        if (byte.unknown != 0) {
            refuse("returns to an address that depends on data");
        }
        word = word << 8 | byte.value;
    }
    took(address_bytes + 2);
    state.depth--;
    state.pc = word << 1;
}

static void jump_to_z(bool is_call, bool is_extended) {
    const bits_t target = pair(Z);
    if ((is_call && target.unknown != 0) || r[EIND].unknown != 0) {
        refuse("jumps to an address that depends on data");
    }
    const uint32_t address = (target.value | (is_extended ? r[EIND].value << 16 : 0)) << 1;
    if (is_call) {
        call(address, state.pc + 2, address_bytes + 1);
        return;
    }
    took(2);
    if (target.unknown != 0) {
        jump_by_cases(of_bits(address, target.unknown << 1));
    } else {
        state.pc = address;
    }
}

/* What a flag that is 1 tells of what was compared: nothing if the instruction before did not. */
static relation_t relation_of(unsigned flag) {
    const comparison_t *one = &state.comparison;
    if (!has_comparison()) {
        return NO_RELATION;
    }
    switch (flag) {
    case CARRY:
        return one->is_result ? NO_RELATION : BELOW;
    case ZERO:
        return one->is_part ? NO_RELATION : EQUAL;
    case NEGATIVE:
        return one->is_result ? LESS : NO_RELATION;
    case SIGN:
        return one->is_result && f[OVERFLOW] != 0 ? NO_RELATION : LESS;
    default:
        return NO_RELATION;
    }
}

/* `relation`: what is so if it is skipped. */
static void skip_if(bit_t condition, const comparison_t *one, relation_t relation) {
    const bool is_far = has_two_words(word_at(state.pc + 2));
    const uint32_t next = state.pc + 2, beyond = next + (is_far ? 4 : 2);
    if (condition == UNKNOWN) {
        fork_to(one, opposite(relation), next, 1, beyond, is_far ? 3 : 2);
    } else {
        took(condition == 0 ? 1 : is_far ? 3 : 2);
        state.pc = condition == 0 ? next : beyond;
    }
}

static void skip_if_equal(unsigned d, unsigned s) {
    const comparison_t one = difference_from((int)d, (int)s, known(0), 0);
    skip_if(d == s ? 1 : zero_bit(bits_xor(r[d], r[s])), &one, EQUAL);
}

static void branch_if(bit_t condition, relation_t relation, int words) {
    const uint32_t next = state.pc + 2, there = next + 2 * (uint32_t)words;
    keep_comparison();
    if (condition == UNKNOWN) {
        fork_to(&state.comparison, relation, there, 2, next, 1);
    } else {
        took(condition == 1 ? 2 : 1);
        state.pc = condition == 1 ? there : next;
    }
}

static void branch_on(unsigned flag, bool is_set, int words) {
    const relation_t relation = relation_of(flag);
    branch_if(is_set ? f[flag] : bit_not(f[flag]), is_set ? relation : opposite(relation), words);
}

static uint32_t relative(uint16_t opcode) {
    const int words = (int16_t)(uint16_t)(opcode << 4) >> 4;
    return (state.pc + 2 + 2 * (uint32_t)words) & flash_mask;
}

/* 0000 to 03ff. */
static void short_product_or_move(uint16_t opcode) {
    const unsigned d = 16 + (opcode >> 4 & 7), s = 16 + (opcode & 7);
    switch (opcode >> 8) {
    case 0:
        end(1, 1); /* NOP */
        return;
    case 1: /* MOVW */
        r[opcode >> 3 & 30] = r[opcode << 1 & 30];
        r[(opcode >> 3 & 30) + 1] = r[(opcode << 1 & 30) + 1];
        end(1, 1);
        return;
    case 2:
        multiply(16 + (opcode >> 4 & 15), 16 + (opcode & 15), true, true, false);
        break;
    default: /* MULSU, FMUL, FMULS, FMULSU */
        multiply(d, s, (opcode & 0x88) != 0x08, (opcode & 0x88) == 0x80, (opcode & 0x88) != 0);
    }
    end(2, 1);
}

/* 0400 to 2fff: two registers. */
static void of_two_registers(uint16_t opcode) {
    const unsigned d = opcode >> 4 & 31, s = (opcode & 15) | (opcode >> 5 & 16);
    const bool is_difference = opcode >> 10 == 2 || opcode >> 10 == 6;
    const bits_t a = is_difference && d == s ? known(0) : r[d], b = is_difference && d == s ? known(0) : r[s];
    switch (opcode >> 10) {
    case 1:
        compare((int)d, (int)s, b, f[CARRY], true);
        subtract(a, b, f[CARRY], true); /* CPC */
        break;
    case 2:
        r[d] = subtract(a, b, f[CARRY], true); /* SBC */
        compare_result((int)d, true);
        break;
    case 3:
        r[d] = add(a, b, 0);
        break;
    case 4: /* CPSE */
        skip_if_equal(d, s);
        return;
    case 5:
        subtract(a, b, 0, false); /* CP */
        compare((int)d, (int)s, b, 0, false);
        break;
    case 6:
        r[d] = subtract(a, b, 0, false);
        compare_result((int)d, false);
        break;
    case 7:
        r[d] = add(a, b, f[CARRY]);
        break;
    case 8:
        r[d] = logical(d == s ? a : bits_and(a, b));
        compare_result((int)d, false);
        break;
    case 9:
        r[d] = logical(d == s ? known(0) : bits_xor(a, b));
        compare_result((int)d, false);
        break;
    case 10:
        r[d] = logical(bits_or(a, b));
        compare_result((int)d, false);
        break;
    default:
        r[d] = b; /* MOV */
    }
    end(1, 1);
}

/* 3000 to 7fff, e000: a register and a constant. */
static void of_constant(uint16_t opcode) {
    const unsigned d = 16 + (opcode >> 4 & 15);
    const bits_t constant = known((opcode & 15) | (opcode >> 4 & 0xf0));
    switch (opcode >> 12) {
    case 3:
        subtract(r[d], constant, 0, false); /* CPI */
        compare((int)d, NO_REGISTER, constant, 0, false);
        break;
    case 4:
        r[d] = subtract(r[d], constant, f[CARRY], true);
        compare_result((int)d, true);
        break;
    case 5:
        r[d] = subtract(r[d], constant, 0, false);
        compare_result((int)d, false);
        break;
    case 6:
        r[d] = logical(bits_or(r[d], constant));
        compare_result((int)d, false);
        break;
    case 7:
        r[d] = logical(bits_and(r[d], constant));
        compare_result((int)d, false);
        break;
    default:
        r[d] = constant; /* LDI */
    }
    end(1, 1);
}

/* LDD and STD. */
static void displaced(uint16_t opcode) {
    const unsigned d = opcode >> 4 & 31;
    const uint32_t by = (opcode & 7) | (opcode >> 7 & 0x18) | (opcode >> 8 & 0x20);
    const bits_t address = added(pair(opcode & 8 ? Y : Z), by, 16);
    if (opcode & 0x200) {
        store(address, r[d]);
    } else {
        r[d] = load(address);
    }
    end(2, 1);
}

/* The address of LD and ST, before or after it is counted on; `is_after`: it has been counted back. */
static bits_t counted_address(uint16_t opcode) {
    const unsigned low = (opcode & 15) >= 12 ? X : (opcode & 15) >= 9 ? Y : Z;
    const bits_t before = pair(low);
    if ((opcode & 3) == 1) {
        put_pair(low, added(before, 1, 16));
    } else if ((opcode & 3) == 2) {
        put_pair(low, added(before, 0xffff, 16));
        return pair(low);
    }
    return before;
}

/* LPM and ELPM with a register. */
static void from_flash(uint16_t opcode) {
    const unsigned d = opcode >> 4 & 31;
    const bits_t address = pair(Z);
    const bool is_extended = (opcode & 2) != 0;
    const bits_t found = load_flash(address, is_extended ? r[RAMPZ] : known(0));
    if (opcode & 1) {
        const sum_t next = sum_of(address, known(1), 0, 16);
        put_pair(Z, next.bits);
        if (is_extended && next.carry != 0) {
            if (next.carry == UNKNOWN) {
                refuse("reads flash at an address that depends on data");
            }
            r[RAMPZ] = added(r[RAMPZ], 1, 8);
        }
    }
    r[d] = found;
    end(3, 1);
}

/* 9000 to 91ff. */
static void load_or_pop(uint16_t opcode) {
    const unsigned d = opcode >> 4 & 31;
    bits_t found;
    switch (opcode & 15) {
    case 0: /* LDS */
        r[d] = load_byte(word_at(state.pc + 2));
        end(2, 2);
        return;
    case 4:
    case 5:
    case 6:
    case 7:
        from_flash(opcode);
        return;
    case 15:
        r[d] = pop();
        break;
    case 3:
    case 8:
    case 11:
        refuse("has the unknown instruction %04x", opcode);
    default:
        found = load(counted_address(opcode));
        r[d] = found;
    }
    end(2, 1);
}

/* 9200 to 93ff. */
static void store_or_push(uint16_t opcode) {
    const unsigned d = opcode >> 4 & 31;
    const bits_t stored = r[d];
    switch (opcode & 15) {
    case 0: /* STS */
        store_byte(word_at(state.pc + 2), stored);
        end(2, 2);
        return;
    case 15:
        push(stored);
        break;
    case 3:
    case 4:
    case 5:
    case 6:
    case 7:
    case 8:
    case 11:
        refuse("has the unknown instruction %04x", opcode);
    default:
        store(counted_address(opcode), stored);
    }
    end(2, 1);
}

/* 9400 to 95ff with one register. */
static void of_one_register(uint16_t opcode) {
    const unsigned d = opcode >> 4 & 31;
    switch (opcode & 15) {
    case 0: /* COM */
        f[CARRY] = 1;
        r[d] = logical(bits_not(r[d], 8));
        break;
    case 1:
        r[d] = negated(r[d]);
        break;
    case 2: /* SWAP */
        r[d] = of_bits((r[d].value >> 4 | r[d].value << 4) & 0xff, (r[d].unknown >> 4 | r[d].unknown << 4) & 0xff);
        break;
    case 3:
        r[d] = counted(r[d], 1, 0x7f);
        compare_result((int)d, false);
        break;
    case 5:
        r[d] = shifted_right(r[d], bit_of(r[d], 7)); /* ASR */
        break;
    case 6:
        r[d] = shifted_right(r[d], 0); /* LSR */
        break;
    case 7:
        r[d] = shifted_right(r[d], f[CARRY]); /* ROR */
        break;
    case 10:
        r[d] = counted(r[d], 0xff, 0x80);
        compare_result((int)d, false);
        break;
    default:
        refuse("has the unknown instruction %04x", opcode);
    }
    end(1, 1);
}

/* 9400 to 95ff. */
static void control(uint16_t opcode) {
    const uint32_t target = (word_at(state.pc + 2) | (uint32_t)((opcode & 1) | (opcode >> 3 & 0x3e)) << 16) << 1;
    if (opcode == 0x9508 || opcode == 0x9518) {
        return_to_caller(); /* RET, RETI */
    } else if ((opcode & 0xff0f) == 0x9408) {
        f[opcode >> 4 & 7] = opcode & 0x80 ? 0 : 1; /* BSET, BCLR */
        end(1, 1);
    } else if (opcode == 0x95a8) {
        end(1, 1); /* WDR */
    } else if (opcode == 0x95c8 || opcode == 0x95d8) {
        r[0] = load_flash(pair(Z), opcode == 0x95d8 ? r[RAMPZ] : known(0));
        end(3, 1);
    } else if ((opcode & 0xfeef) == 0x9409) {
        jump_to_z((opcode & 0x100) != 0, (opcode & 0x10) != 0);
    } else if ((opcode & 0xfe0e) == 0x940e) {
        call(target, state.pc + 4, address_bytes + 2);
    } else if ((opcode & 0xfe0e) == 0x940c) {
        took(3);
        state.pc = target;
    } else {
        of_one_register(opcode);
    }
}

/* 9800 to 9bff: a bit of a device's register. */
static void of_device_bit(uint16_t opcode) {
    const uint16_t address = 32 + (opcode >> 3 & 31);
    const unsigned place = opcode & 7;
    const bits_t found = load_byte(address);
    switch (opcode >> 8 & 3) {
    case 1:
        skip_if(bit_not(bit_of(found, place)), NULL, NO_RELATION);
        return;
    case 3:
        skip_if(bit_of(found, place), NULL, NO_RELATION);
        return;
    default:
        store_byte(address, with_bit(found, place, opcode >> 9 & 1));
        end(2, 1);
    }
}

/* 9000 to 9fff. */
static void of_nine(uint16_t opcode) {
    switch (opcode >> 9 & 7) {
    case 0:
        load_or_pop(opcode);
        return;
    case 1:
        store_or_push(opcode);
        return;
    case 2:
        control(opcode);
        return;
    case 3:
        add_to_pair(24 + (opcode >> 3 & 6), (opcode & 15) | (opcode >> 2 & 0x30), (opcode & 0x100) != 0);
        break;
    case 4:
    case 5:
        of_device_bit(opcode);
        return;
    default: /* MUL */
        multiply(opcode >> 4 & 31, (opcode & 15) | (opcode >> 5 & 16), false, false, false);
    }
    end(2, 1);
}

static void in_or_out(uint16_t opcode) {
    const unsigned d = opcode >> 4 & 31;
    const uint16_t address = 32 + ((opcode & 15) | (opcode >> 5 & 0x30));
    if (opcode & 0x800) {
        store_byte(address, r[d]);
    } else {
        r[d] = load_byte(address);
    }
    end(1, 1);
}

/* f000 to ffff. */
static void of_one_bit(uint16_t opcode) {
    const unsigned d = opcode >> 4 & 31, place = opcode & 7;
    const comparison_t result = result_in((int)d);
    switch (opcode >> 9 & 7) {
    case 4: /* BLD */
        r[d] = with_bit(r[d], place, f[TRANSFER]);
        end(1, 1);
        return;
    case 5: /* BST */
        f[TRANSFER] = bit_of(r[d], place);
        end(1, 1);
        return;
    case 6:
        skip_if(bit_not(bit_of(r[d], place)), &result, place == 7 ? NOT_LESS : NO_RELATION);
        return;
    case 7:
        skip_if(bit_of(r[d], place), &result, place == 7 ? LESS : NO_RELATION);
        return;
    default:
        branch_on(place, (opcode & 0x400) == 0, (int8_t)(opcode >> 2 & 0xfe) >> 1);
    }
}

static void step(void) {
    const uint16_t opcode = word_at(state.pc);
    switch (opcode >> 12) {
    case 0:
        if (opcode < 0x0400) {
            short_product_or_move(opcode);
            return;
        }
        of_two_registers(opcode);
        return;
    case 1:
    case 2:
        of_two_registers(opcode);
        return;
    case 8:
    case 10:
        displaced(opcode);
        return;
    case 9:
        of_nine(opcode);
        return;
    case 11:
        in_or_out(opcode);
        return;
    case 12:
        took(2);
        state.pc = relative(opcode);
        return;
    case 13:
        call(relative(opcode), state.pc + 2, address_bytes + 1);
        return;
    case 15:
        of_one_bit(opcode);
        return;
    default:
        of_constant(opcode);
    }
}

#endif
