/* Instructions and their registers, by the rules of a core. */
#ifndef TINYML_OPERANDS_H
#define TINYML_OPERANDS_H

#include "cycle_rules.h"

enum { PC = 15, MOST_REGISTERS = 18 /* a list, and two of an address */ };

/* An instruction, decoded. */
typedef struct {
    const rule_t *rule;
    bool is_chained; /* took what it takes directly after a load, when it was run last */
    uint8_t listed;  /* registers of a list */
    uint8_t count;
    struct {
        uint8_t role;
        uint8_t number;
    } registers[MOST_REGISTERS];
} instruction_t;

static void add_register(instruction_t *one, uint32_t role, uint32_t number) {
    if (number < PC && one->count < MOST_REGISTERS) { /* the PC is not waited for */
        one->registers[one->count].role = (uint8_t)role;
        one->registers[one->count++].number = (uint8_t)number;
    }
}

/* The bits of `word` in `mask`, side by side. */
static uint32_t number_in(uint32_t word, uint32_t mask) {
    uint32_t number = 0;
    for (uint32_t bit = 32; bit-- > 0;) {
        if ((mask >> bit & 1) != 0) {
            number = number << 1 | (word >> bit & 1);
        }
    }
    return number;
}

static instruction_t decode(const rules_t *rules, const uint8_t *bytes, size_t size) {
    uint32_t word = 0;
    for (size_t index = 0; index < size; index++) {
        word |= (uint32_t)bytes[index] << (8 * index);
    }
    instruction_t one = {.rule = rule_of(rules, word, size)};
    for (uint32_t index = 0; index < one.rule->operand_count; index++) {
        const operand_t *operand = &one.rule->operands[index];
        add_register(&one, operand->role, number_in(word, operand->mask));
    }
    for (uint32_t bit = 0; bit < 32; bit++) {
        if ((one.rule->listed & word) >> bit & 1) {
            one.listed++;
            /* the ninth bit of a list of 16 bits is LR, which nothing waits for, or PC */
            const uint32_t number = size == 2 && bit == 8 ? PC : bit % (PC + 1);
            add_register(&one, one.rule->loads ? RESULT : STORED, number);
        }
    }
    return one;
}

/* The registers that an instruction has in a role, a bit each. */
static uint16_t registers_of(const instruction_t *one, uint32_t role) {
    uint16_t found = 0;
    for (uint32_t index = 0; index < one->count; index++) {
        if (one->registers[index].role == role) {
            found |= (uint16_t)(1u << one->registers[index].number);
        }
    }
    return found;
}

/* Whether it is faster directly after a load. */
static bool can_be_chained(const instruction_t *one) {
    return one->rule->after_load < one->rule->cost;
}

#endif
