/* Bounds what the calls of a model take on a 32-bit RISC-V core, by a table of what its instructions take: an abstract
 * processor in which bits of data may be unknown.
 *
 *   riscv_bound LINES MEMORY [INPUT OUTPUT]
 *
 * calls.h reads LINES and MEMORY, and describes standard output.  The rules of cycles are in the file `cycles.txt`,
 * which the plugin of QEMU gets too.
 */
#include <stdbool.h>
#include <stdint.h>

enum { LINK = 1, STACK_POINTER = 2, ALTERNATE_LINK = 5, FIRST_ARGUMENT = 10, REGISTERS = 32, REGISTER_BITS = 32 };
enum { FLAGS }; /* none */

#include "semihosting.h"
#include "../runners/cycle_rules.h"
#include "riscv_decode.h"

static rules_t rules;
static decoded_t *instructions; /* of each half-word from code_first on, once it has been run */

static bits_t *const r = state.registers;

static bool is_of_processor(uint32_t address) {
    (void)address;
    return false;
}

static void watch_memory(bits_t address) {
    (void)address;
}

static uint32_t word_at(uint32_t address) {
    return half_at(address) | (uint32_t)half_at(address + 2) << 16;
}

static decoded_t decoded(uint32_t address) {
    const uint16_t first = half_at(address);
    const bool is_short = (first & 3) != 3;
    const uint32_t word = is_short ? first : word_at(address);
    const uint8_t bytes = is_short ? 2 : 4;
    const rule_t *rule = rule_of(&rules, word, bytes);
    decoded_t one = decoded_long(is_short ? expanded(first) : word, address);
    one.bytes = bytes;
    one.cost = (uint8_t)rule->cost;
    one.taken = (uint8_t)rule->taken;
    one.number = one.kind == OTHER ? word : one.number;
    return one;
}

static const decoded_t *instruction_at(uint32_t address) {
    place_at(address); /* refuses what is no code */
    decoded_t *one = &instructions[(address - code_first) >> 1];
    if (one->kind == NOT_DECODED) {
        *one = decoded(address);
    }
    return one;
}

#include "riscv_instructions.h"

static void push_return_address(void) {
    r[LINK] = known(mark_address);
}

static bool read_architecture(const char *word, uint32_t first, uint32_t second) {
    (void)first, (void)second;
    if (!is_word(word, "riscv") || !read_rules(&rules, "cycles.txt")) {
        return false;
    }
    instructions = allocated((code_end - code_first) / 2 + 1, sizeof *instructions);
    return true;
}

int main(int count, char **words) {
    run_image(count, words);
}
