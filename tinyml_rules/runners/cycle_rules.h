/* What instructions of a core take, for the plugin that runs an image: an estimate of cycles.
 *
 * The file has a line `mask least`: an instruction has 32 bits if its first 16, masked, are that or more, else 16.
 * Then it has a line for each rule, numbers as in the record below: see qemu.py.  What fits no rule takes one cycle.
 */
#ifndef TINYML_CYCLE_RULES_H
#define TINYML_CYCLE_RULES_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    uint32_t bits; /* of the instruction */
    uint32_t mask;
    uint32_t value;
    uint32_t listed; /* registers of a list, each of which takes `each` */
    uint32_t cost;
    uint32_t each;
    uint32_t taken;      /* if the next instruction executed is not the next in memory */
    uint32_t after_load; /* directly after a single load */
    uint32_t is_load;    /* a single one */
} rule_t;

typedef struct {
    uint32_t long_mask;
    uint32_t long_least;
    rule_t *rules; /* the first that fits counts */
    size_t count;
} rules_t;

/* Reads the file of rules; false if it cannot be read. */
static bool read_rules(rules_t *rules, const char *name) {
    FILE *file = fopen(name, "r");
    if (file == NULL) {
        return false;
    }
    rule_t one;
    if (fscanf(file, "%" SCNu32 " %" SCNu32, &rules->long_mask, &rules->long_least) != 2) {
        fclose(file);
        return false;
    }
    while (fscanf(file,
                  "%" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32
                  " %" SCNu32 " %" SCNu32 " %" SCNu32,
                  &one.bits, &one.mask, &one.value, &one.listed, &one.cost, &one.each, &one.taken,
                  &one.after_load, &one.is_load)
           == 9) {
        rules->rules = realloc(rules->rules, (rules->count + 1) * sizeof one);
        if (rules->rules == NULL) {
            return false;
        }
        rules->rules[rules->count++] = one;
    }
    fclose(file);
    return rules->count != 0;
}

/* In bytes.  QEMU's own answer has what it looked at beyond, where a page ends. */
static size_t size_of(const rules_t *rules, const uint8_t *bytes) {
    const uint32_t first = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8;
    return (first & rules->long_mask) >= rules->long_least ? 4 : 2;
}

/* The rule of an instruction of so many bytes, or NULL. */
static const rule_t *rule_of(const rules_t *rules, const uint8_t *bytes, size_t size) {
    uint32_t word = 0;
    for (size_t index = 0; index < size; index++) {
        word |= (uint32_t)bytes[index] << (8 * index);
    }
    for (size_t index = 0; index < rules->count; index++) {
        const rule_t *rule = &rules->rules[index];
        if (rule->bits == 8 * size && (word & rule->mask) == rule->value) {
            return rule;
        }
    }
    return NULL;
}

static uint32_t cycles_of(const rule_t *rule, const rule_t *before, const uint8_t *bytes) {
    if (rule == NULL) {
        return 1;
    }
    uint32_t cycles = before != NULL && before->is_load ? rule->after_load : rule->cost;
    for (uint32_t index = 0; index < rule->bits; index++) {
        if ((rule->listed >> index & 1) != 0 && (bytes[index / 8] >> index % 8 & 1) != 0) {
            cycles += rule->each;
        }
    }
    return cycles;
}

#endif
