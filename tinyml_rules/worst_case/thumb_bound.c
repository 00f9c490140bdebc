/* Bounds what the calls of a model take on an ARMv6-M core, by a table of what its instructions take: an abstract
 * processor in which bits of data may be unknown.
 *
 *   thumb_bound LINES MEMORY [INPUT OUTPUT]
 *
 * calls.h reads LINES and MEMORY, and describes standard output.  The rules of cycles are in the file `cycles.txt`,
 * which the plugin of QEMU gets too.
 */
#include <stdbool.h>
#include <stdint.h>

enum { STACK_POINTER = 13, LINK, COUNTER, REGISTERS };
enum { NEGATIVE, ZERO, CARRY, OVERFLOW, FLAGS };

#include "calls.h"
#include "../runners/cycle_rules.h"

enum {
    MOST_LOAD_BITS = 10, /* unknown bits of an address of which each is looked at */
    MOST_STORE_BITS = 12,
};

typedef struct {
    uint8_t cost;
    uint8_t taken;
} cost_t;

static rules_t rules;
static cost_t costs[1 << 16]; /* of the instructions of 16 bits */

static bits_t *const r = state.registers;
static bit_t *const f = state.flags;

static uint16_t half_at(uint32_t address) {
    const region_t *region = region_of(address, 2);
    if (region == NULL) {
        refuse("runs into %#x, where there is no memory", address);
    }
    return (uint16_t)loaded_at(region, address, 2).value;
}

/* ---- memory ---- */

static bits_t load_known(uint32_t address, unsigned size) {
    const region_t *region = region_of(address, size);
    if (region == NULL && !begins_in_model) {
        refuse("reads %#x, where there is no memory", address);
    }
    if (address % size != 0) {
        refuse("reads %u bytes at %#x, which is not aligned", size, address);
    }
    return region == NULL ? any(8 * size) : loaded_at(region, address, size);
}

static bits_t load(bits_t address, unsigned size) {
    if (address.unknown == 0) {
        return load_known(address.value, size);
    }
    site_at(state.pc)->loads++;
    if (__builtin_popcount(address.unknown) > MOST_LOAD_BITS) {
        return any(8 * size);
    }
    bits_t found = {0, 0};
    bool is_first = true;
    for (uint32_t subset = address.unknown;; subset = subset_before(subset, address.unknown)) {
        const uint32_t each = address.value | subset;
        if (each % size == 0 && region_of(each, size) != NULL) {
            const bits_t there = load_known(each, size);
            found = is_first ? there : joined(found, there);
            is_first = false;
        }
        if (subset == 0) {
            return is_first ? any(8 * size) : found;
        }
    }
}

static void store_known(uint32_t address, bits_t value, unsigned size, bool is_certain) {
    const region_t *region = region_of(address, size);
    if (region == NULL || !region->is_written) {
        refuse("writes to %#x, which is no RAM", address);
    }
    if (address % size != 0) {
        refuse("writes %u bytes at %#x, which is not aligned", size, address);
    }
    store_at(region, address, value, size, is_certain);
}

static void store(bits_t address, bits_t value, unsigned size) {
    if (address.unknown == 0) {
        store_known(address.value, value, size, true);
        return;
    }
    site_at(state.pc)->stores++;
    if (__builtin_popcount(address.unknown) > MOST_STORE_BITS) {
        refuse("stores to an address that depends on data");
    }
    for (uint32_t subset = address.unknown;; subset = subset_before(subset, address.unknown)) {
        if ((address.value | subset) % size == 0) {
            store_known(address.value | subset, value, size, false);
        }
        if (subset == 0) {
            return;
        }
    }
}

/* ---- the port of a test image: semihosting, a handle being the length of the file's name ---- */

enum {
    SYS_OPEN = 1,
    SYS_CLOSE = 2,
    SYS_WRITE0 = 4,
    SYS_WRITE = 5,
    SYS_READ = 6,
    SYS_FLEN = 10,
    SYS_EXIT_EXTENDED = 0x20,
    OUTPUT_HANDLE = sizeof "output.bin" - 1,
};

static bits_t read_input(uint32_t to, uint32_t size) {
    uint32_t count = 0;
    for (; count < size && has_input(); count++) {
        store(known(to + count), next_input(), 1);
    }
    return known(size - count);
}

static void write_output(uint32_t handle, uint32_t from, uint32_t size) {
    for (uint32_t index = 0; handle == OUTPUT_HANDLE && index < size; index++) {
        put_output(load_known(from + index, 1).value);
    }
}

static void semihost(void) {
    if ((r[0].unknown | r[1].unknown) != 0) {
        refuse("calls the host in a way that depends on data");
    }
    const uint32_t arguments = r[1].value;
    switch (r[0].value) {
    case SYS_OPEN:
        r[0] = load_known(arguments + 8, 4);
        return;
    case SYS_READ:
        r[0] = read_input(load_known(arguments + 4, 4).value, load_known(arguments + 8, 4).value);
        return;
    case SYS_WRITE:
        write_output(load_known(arguments, 4).value, load_known(arguments + 4, 4).value,
                     load_known(arguments + 8, 4).value);
        r[0] = known(0);
        return;
    case SYS_CLOSE:
    case SYS_WRITE0:
    case SYS_FLEN:
        r[0] = known(0);
        return;
    case SYS_EXIT_EXTENDED:
        finish("exit", load_known(arguments + 4, 4).value);
    default:
        refuse("calls the host for %#x", r[0].value);
    }
}

static cost_t cost_of(uint32_t opcode, size_t size) {
    const rule_t *rule = rule_of(&rules, opcode, size);
    const unsigned listed = rule->per_cycle == 0
        ? 0
        : ((unsigned)__builtin_popcount(opcode & rule->listed) + rule->per_cycle - 1) / rule->per_cycle;
    return (cost_t){(uint8_t)(rule->cost + listed), (uint8_t)(rule->taken + listed)};
}

#include "thumb_instructions.h"

static void push_return_address(void) {
    r[LINK] = known(mark_address | 1);
}

static bool read_architecture(const char *word, uint32_t first, uint32_t second) {
    (void)first, (void)second;
    if (!is_word(word, "thumb") || !read_rules(&rules, "cycles.txt")) {
        return false;
    }
    for (uint32_t opcode = 0; opcode < 1 << 16; opcode++) {
        costs[opcode] = cost_of(opcode, 2);
    }
    memset(f, begins_in_model ? UNKNOWN : 0, FLAGS);
    return true;
}

int main(int count, char **words) {
    run_image(count, words);
}
