/* What instructions of a Cortex-M take, one after the other, as the plugin of QEMU counts them: of two accesses that
 * follow each other the second one may be faster. */
#ifndef TINYML_THUMB_COSTS_H
#define TINYML_THUMB_COSTS_H

/* An instruction, looked at before it is executed the first time. */
typedef struct {
    uint16_t first;
    uint16_t second;
    uint8_t size_bytes; /* 0: not looked at yet */
    uint8_t cost;
    uint8_t taken;
    uint8_t saved; /* directly after a load of the same memory */
    bool is_load;  /* a single one */
    bool leads;    /* a single load, and the next one may be an access that is faster for it */
    uint16_t results;
    uint16_t bases;
    uint16_t addresses;
} decoded_t;

enum { NOWHERE = UINT8_MAX }; /* an address in no memory */

static rules_t rules;
static decoded_t *all_decoded;
static const decoded_t *current;
static bit_t is_chained;        /* the present instruction, if its access is in the memory of the one before */
static bit_t is_memory_watched; /* the plugin of QEMU keeps in mind in which memory it is */

static instruction_t instruction_at(uint32_t address) {
    uint8_t bytes[4] = {(uint8_t)half_at(address), (uint8_t)(half_at(address) >> 8)};
    const size_t size = size_of(&rules, bytes);
    if (size == 4) {
        bytes[2] = (uint8_t)half_at(address + 2);
        bytes[3] = (uint8_t)(half_at(address + 2) >> 8);
    }
    return decode(&rules, bytes, size);
}

static unsigned saved_by(const instruction_t *one) {
    return can_be_chained(one) ? one->rule->cost - one->rule->after_load : 0;
}

static decoded_t decoded_from(uint32_t address) {
    const uint16_t first = half_at(address);
    const bool is_long = (first & rules.long_mask) >= rules.long_least;
    const uint32_t next = address + (is_long ? 4 : 2);
    const instruction_t one = instruction_at(address);
    const rule_t *rule = one.rule;
    const unsigned listed = rule->per_cycle == 0 ? 0 : (one.listed + rule->per_cycle - 1) / rule->per_cycle;
    const bool is_load = rule->is_load != 0 && rules.knows_chains;
    decoded_t found = {
        .first = first,
        .second = is_long ? half_at(address + 2) : 0,
        .size_bytes = is_long ? 4 : 2,
        .cost = (uint8_t)(rule->cost + listed),
        .taken = (uint8_t)(rule->taken + listed),
        .saved = (uint8_t)saved_by(&one),
        .is_load = is_load,
        .results = registers_of(&one, RESULT),
        .bases = registers_of(&one, BASE),
        .addresses = registers_of(&one, ADDRESS),
    };
    if (is_load && region_of(next, 4) != NULL) {
        const instruction_t following = instruction_at(next);
        found.leads = can_be_chained(&following);
    }
    return found;
}

static const decoded_t *decoded_at(uint32_t address) {
    place_at(address); /* refuses what is no code */
    if (all_decoded == NULL) {
        all_decoded = allocated((code_end - code_first) / 2 + 1, sizeof *all_decoded);
    }
    decoded_t *found = &all_decoded[(address - code_first) >> 1];
    if (found->size_bytes == 0) {
        *found = decoded_from(address);
    }
    return found;
}

static bit_t bit_or(bit_t a, bit_t b) {
    return bit_not(bit_and(bit_not(a), bit_not(b)));
}

static bit_t share_none(bits_t registers, uint16_t others) {
    return zero_bit(bits_and(registers, known(others)));
}

/* What the present instruction takes if no branch is taken. */
static void count(const decoded_t *one) {
    current = one;
    is_chained = is_memory_watched = 0;
    if (one->saved != 0) {
        if (f[BEHIND_LOAD] != 0) {
            is_chained = bit_and(f[BEHIND_LOAD], bit_and(share_none(r[LAST_RESULT], one->addresses),
                                                         share_none(r[LAST_BASE], one->bases)));
        }
        is_memory_watched = bit_or(f[BEHIND_LOAD], f[BEGINS_BLOCK]);
    }
    if (one->leads) {
        is_memory_watched = 1;
    }
    state.most += one->cost - (is_chained == 1 ? one->saved : 0);
    state.least += one->cost - (is_chained != 0 ? one->saved : 0);
    f[BEHIND_LOAD] = one->is_load;
    f[BEGINS_BLOCK] = one->taken != one->cost; /* a branch on a condition, taken or not */
    r[LAST_RESULT] = known(one->is_load ? one->results : 0);
    r[LAST_BASE] = known(one->is_load ? one->bases : 0);
}

static uint32_t memory_number(uint32_t address) {
    const region_t *region = region_of(address, 1);
    return region == NULL ? NOWHERE : (uint32_t)(region - regions);
}

/* The memory of an access: after a load of another one it takes as long as ever. */
static void watch_memory(bits_t address) {
    if (is_memory_watched == 0) {
        return;
    }
    const uint32_t first = memory_number(least_of(address));
    const bits_t memory = first == memory_number(most_of(address)) ? known(first) : any(8);
    const bit_t is_same = zero_bit(bits_xor(memory, r[LAST_MEMORY]));
    state.most += is_chained == 1 && is_same != 1 ? current->saved : 0;
    state.least += is_chained != 0 && is_same == 0 ? current->saved : 0;
    r[LAST_MEMORY] = is_memory_watched == 1 ? memory : joined(memory, r[LAST_MEMORY]);
}

#endif
