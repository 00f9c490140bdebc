/* Loads, stores and moves of the registers of an FPU, which are used for other values too; it has no arithmetic. */
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
    } else {
        refuse("computes with real numbers, which has no bound");
    }
}

#endif
