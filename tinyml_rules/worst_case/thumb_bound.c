/* Bounds what the calls of a model take on a core of ARMv6-M or ARMv7-M, by a table of what its instructions take: an abstract
 * processor in which bits of data may be unknown.
 *
 *   thumb_bound LINES MEMORY [INPUT OUTPUT]
 *
 * calls.h reads LINES and MEMORY, and describes standard output.  The rules of cycles are in the file `cycles.txt`,
 * which the plugin of QEMU gets too.
 */
#include <stdbool.h>
#include <stdint.h>

enum {
    STACK_POINTER = 13,
    LINK,
    COUNTER,
    SINGLE,                 /* the registers of an FPU */
    IT_STATE = SINGLE + 32, /* the conditions of the instructions to come, as the architecture's ITSTATE */
    LAST_RESULT,            /* of the load before, a bit for each register: see thumb_costs.h */
    LAST_BASE,
    LAST_MEMORY,
    REGISTERS,
};
enum {
    NEGATIVE,
    ZERO,
    CARRY,
    OVERFLOW,
    GREATER_OR_EQUAL, /* four flags, one for each byte */
    BEHIND_LOAD = GREATER_OR_EQUAL + 4,
    BEGINS_BLOCK, /* the instruction before may have been a branch */
    FLAGS
};

#include "calls.h"
#include "../runners/operands.h"

enum {
    MOST_LOAD_BITS = 10, /* unknown bits of an address of which each is looked at */
    MOST_STORE_BITS = 12,
};

static bits_t *const r = state.registers;
static bit_t *const f = state.flags;
static bool needs_alignment = true; /* of loads and stores of one register */
static bool is_certain = true;      /* the present instruction is executed, and not perhaps */

#include "thumb_arithmetic.h"
#include "thumb_costs.h"

/* ---- memory ---- */

/* The registers of the processor itself, of which a program may set some, as to switch the FPU on. */
static bool is_of_processor(uint32_t address) {
    return address >> 20 == 0xe00;
}

static bits_t load_known(uint32_t address, unsigned size) {
    const region_t *region = region_of(address, size);
    if (region == NULL && !begins_in_model && is_certain && !is_of_processor(address)) {
        refuse("reads %#x, where there is no memory", address);
    }
    if (needs_alignment && address % size != 0) {
        refuse("reads %u bytes at %#x, which is not aligned", size, address);
    }
    return region == NULL ? any(8 * size) : loaded_at(region, address, size);
}

static bits_t load(bits_t address, unsigned size) {
    watch_memory(address);
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
        if ((!needs_alignment || each % size == 0) && region_of(each, size) != NULL) {
            const bits_t there = load_known(each, size);
            found = is_first ? there : joined(found, there);
            is_first = false;
        }
        if (subset == 0) {
            return is_first ? any(8 * size) : found;
        }
    }
}

static void store_known(uint32_t address, bits_t value, unsigned size, bool is_here) {
    const region_t *region = region_of(address, size);
    if (region == NULL && is_of_processor(address)) {
        return;
    }
    if (region == NULL || !region->is_written) {
        refuse("writes to %#x, which is no RAM", address);
    }
    if (needs_alignment && address % size != 0) {
        refuse("writes %u bytes at %#x, which is not aligned", size, address);
    }
    store_at(region, address, value, size, is_here && is_certain);
}

static void store(bits_t address, bits_t value, unsigned size) {
    watch_memory(address);
    if (address.unknown == 0) {
        store_known(address.value, value, size, true);
        return;
    }
    site_at(state.pc)->stores++;
    if (__builtin_popcount(address.unknown) > MOST_STORE_BITS) {
        refuse("stores to an address that depends on data");
    }
    for (uint32_t subset = address.unknown;; subset = subset_before(subset, address.unknown)) {
        if (!needs_alignment || (address.value | subset) % size == 0) {
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

#include "thumb_instructions.h"
#include "thumb_products.h"
#include "thumb_lanes.h"
#include "thumb_float.h"
#include "thumb_long_instructions.h"

static void execute(void) {
    r[COUNTER] = known(state.pc + 4);
    if (current->size_bytes == 2) {
        execute_short(current->first);
    } else {
        execute_long(current->first, current->second);
    }
}

/* An instruction behind IT: where nobody knows whether it is executed, what is true of both. */
static void execute_if(bit_t is_so) {
    if (is_so == 1) {
        execute();
        return;
    }
    const uint32_t at = state.pc;
    state_t skipped = state;
    skipped.pc += current->size_bytes;
    if (is_so == 0) {
        state = skipped;
        return;
    }
    is_certain = false;
    execute();
    is_certain = true;
    if (state.pc == skipped.pc && state.depth == skipped.depth) {
        join_states(&skipped);
    } else {
        fork_between(at, &skipped);
    }
}

static void step(void) {
    count(decoded_at(state.pc));
    const uint32_t now = r[IT_STATE].value;
    sets_flags = now == 0;
    if (now == 0) {
        execute();
    } else {
        r[IT_STATE] = known((now & 7) == 0 ? 0 : (now & 0xe0) | (now << 1 & 0x1f));
        execute_if(condition(now >> 4));
    }
}

static void push_return_address(void) {
    r[LINK] = known(mark_address | 1);
}

static bool read_architecture(const char *word, uint32_t first, uint32_t second) {
    (void)second;
    if (!is_word(word, "thumb") || !read_rules(&rules, "cycles.txt")) {
        return false;
    }
    needs_alignment = first != 0;
    if (begins_in_model) {
        memset(f, UNKNOWN, BEHIND_LOAD);
        r[LAST_MEMORY] = any(8);
        for (int number = 0; number < 32; number++) {
            r[SINGLE + number] = any(32);
        }
    }
    return true;
}

int main(int count, char **words) {
    run_image(count, words);
}
