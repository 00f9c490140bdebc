/* What instructions of a core take, for the plugin that runs an image: an estimate of cycles.
 *
 * The file has a line `mask least width`: an instruction has 32 bits if its first 16, masked, are `least` or more, else
 * 16; so many instructions may begin in a cycle.  A line has how many cycles before an ordinary operand each other kind
 * of operand is read.  Then there is a line for each rule, numbers as in the record below and its operands: see cycle_rules.py.
 */
#ifndef TINYML_CYCLE_RULES_H
#define TINYML_CYCLE_RULES_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* As in target/encodings.py: what an instruction does with a register. */
enum {
    ORDINARY,
    ADDRESS,
    SHIFTED,
    FACTOR,
    ACCUMULATOR,
    STORED,
    LOADED_FACTOR,
    RESULT,
    BASE,
    ROLES_READ = RESULT,
    MOST_OPERANDS = 8
};

/* As in target/cycles.py. */
enum { ALONE = 1, FIRST = 2, FORWARDED = 4 };

typedef struct {
    uint32_t role;
    uint32_t mask; /* of the register's number */
} operand_t;

typedef struct {
    uint32_t bits; /* of the instruction */
    uint32_t mask;
    uint32_t value;
    uint32_t listed; /* registers of a list */
    uint32_t cost;
    uint32_t per_cycle;   /* so many registers of a list take one more; 0: no cycles for the list */
    uint32_t taken;       /* if the next instruction executed is not the next in memory */
    uint32_t after_load;  /* directly after a single load of the same memory */
    uint32_t after_short; /* directly after an instruction of 16 bits */
    uint32_t result;      /* from its first cycle until an instruction can use the result */
    uint32_t is_load;     /* a single one */
    uint32_t loads;       /* of any kind */
    uint32_t pairing;
    uint32_t pipes; /* that it takes, of which each takes one in a cycle */
    uint32_t operand_count;
    operand_t operands[MOST_OPERANDS];
} rule_t;

typedef struct {
    uint32_t long_mask;
    uint32_t long_least;
    uint32_t issue_width;
    int32_t leads[ROLES_READ];
    int32_t most_lead;
    bool knows_short;  /* a rule has other cycles after an instruction of 16 bits */
    bool knows_chains; /* a rule has other cycles after a load */
    rule_t *rules; /* the first that fits counts */
    size_t count;
} rules_t;

/* Of an instruction that fits none. */
static const rule_t other_rule = {.cost = 1, .taken = 1, .after_load = 1, .after_short = 1, .result = 1};

static bool read_numbers(FILE *file, uint32_t *numbers, size_t count) {
    size_t found = 0;
    while (found < count && fscanf(file, "%" SCNu32, &numbers[found]) == 1) {
        found++;
    }
    return found == count;
}

static bool read_rule(FILE *file, rule_t *rule) {
    /* a record of numbers alone */
    return read_numbers(file, (uint32_t *)rule, offsetof(rule_t, operands) / sizeof(uint32_t))
           && rule->operand_count <= MOST_OPERANDS
           && read_numbers(file, (uint32_t *)rule->operands, 2 * (size_t)rule->operand_count);
}

static bool read_core(FILE *file, rules_t *rules) {
    int found = fscanf(file, "%" SCNu32 " %" SCNu32 " %" SCNu32, &rules->long_mask,
                       &rules->long_least, &rules->issue_width);
    for (int role = 0; role < ROLES_READ; role++) {
        found += fscanf(file, "%" SCNd32, &rules->leads[role]);
        if (rules->leads[role] > rules->most_lead) {
            rules->most_lead = rules->leads[role];
        }
    }
    return found == 3 + ROLES_READ;
}

/* Reads the file of rules; false if it cannot be read. */
static bool read_rules(rules_t *rules, const char *name) {
    FILE *file = fopen(name, "r");
    if (file == NULL || !read_core(file, rules)) {
        return false;
    }
    rule_t one;
    while (read_rule(file, &one)) {
        rules->rules = realloc(rules->rules, (rules->count + 1) * sizeof one);
        if (rules->rules == NULL) {
            return false;
        }
        rules->rules[rules->count++] = one;
        rules->knows_short = rules->knows_short || one.after_short != one.cost;
        rules->knows_chains = rules->knows_chains || one.after_load != one.cost;
    }
    const bool is_whole = feof(file) != 0;
    fclose(file);
    return is_whole && rules->count != 0;
}

/* In bytes.  QEMU's own answer has what it looked at beyond, where a page ends. */
static size_t size_of(const rules_t *rules, const uint8_t *bytes) {
    const uint32_t first = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8;
    return (first & rules->long_mask) >= rules->long_least ? 4 : 2;
}

/* The rule of an instruction of so many bytes. */
static const rule_t *rule_of(const rules_t *rules, uint32_t word, size_t size) {
    for (size_t index = 0; index < rules->count; index++) {
        const rule_t *rule = &rules->rules[index];
        if (rule->bits == 8 * size && (word & rule->mask) == rule->value) {
            return rule;
        }
    }
    return &other_rule;
}

#endif
