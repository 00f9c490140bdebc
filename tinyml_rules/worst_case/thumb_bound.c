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
    FLOAT_STATUS = SINGLE + 32,
    IT_STATE,               /* the conditions of the instructions to come, as the architecture's ITSTATE */
    LAST_RESULT,            /* of the load before, a bit for each register: see thumb_costs.h */
    LAST_BASE,
    LAST_MEMORY,
    REGISTERS,
    REGISTER_BITS = 32,
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

#include "semihosting.h"
#include "../runners/operands.h"

static bits_t *const r = state.registers;
static bit_t *const f = state.flags;

#include "thumb_arithmetic.h"
#include "thumb_costs.h"

static bool is_of_processor(uint32_t address) {
    return address >> 20 == 0xe00;
}

#include "thumb_instructions.h"
#include "thumb_products.h"
#include "thumb_lanes.h"
#include "thumb_real.h"
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

/* An instruction after IT: where nobody knows whether it is executed, what is true of both. */
static void execute_if(bit_t is_so, relation_t relation) {
    if (is_so == 1) {
        execute();
        return;
    }
    const uint32_t at = state.pc;
    state_t skipped = state;
    skipped.pc += current->size_bytes;
    if (is_so == UNKNOWN) {
        learn(&skipped, &state.comparison, opposite(relation));
        learn(&state, &skipped.comparison, relation);
    }
    if (is_so == 0 || state.is_impossible) {
        state = skipped;
        return;
    }
    if (skipped.is_impossible) {
        execute();
        return;
    }
    is_certain = false;
    execute();
    is_certain = true;
    if (state.pc == skipped.pc && state.depth == skipped.depth) {
        join_states(&skipped);
    } else {
        const state_t begins[] = {state, skipped};
        fork_among(at, begins, 2);
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
        execute_if(condition(now >> 4), relation_of(now >> 4));
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
        r[FLOAT_STATUS] = any(32);
    }
    return true;
}

int main(int count, char **words) {
    run_image(count, words);
}
