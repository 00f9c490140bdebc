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

#include "semihosting.h"
#include "../runners/cycle_rules.h"

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
