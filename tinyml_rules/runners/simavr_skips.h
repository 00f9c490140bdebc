/* Skips over ADIW and SBIW, as the chip does them.
 *
 * simavr 1.6 takes ADIW and SBIW whose constant ends in C to F for instructions of two words when a skip passes over
 * them, as CALL and JMP are: it lands a word too far.  simavr_skips.py finds these skips.  Each is replaced by an OUT
 * to a register that no part has, and so is the instruction after it where it is to be skipped, until it has been
 * passed.  That takes the cycles of the chip: one for the skip, one for the word that it passes over.
 */
#ifndef TINYML_SIMAVR_SKIPS_H
#define TINYML_SIMAVR_SKIPS_H

#include <simavr/sim_avr.h>
#include <simavr/sim_io.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum {
    SKIP_REGISTER = 0x4f,
    OUT_TO_SKIP_REGISTER = 0xbc0f,
};

typedef struct {
    uint32_t address;
    uint16_t opcode;
    uint16_t next;
} skip_t;

typedef struct {
    skip_t *skips; /* by address */
    size_t count;
} skips_t;

static uint16_t word_of_flash(const avr_t *avr, uint32_t address) {
    return (uint16_t)(avr->flash[address] | avr->flash[address + 1] << 8);
}

static void put_word_of_flash(avr_t *avr, uint32_t address, uint16_t word) {
    avr->flash[address] = (uint8_t)word;
    avr->flash[address + 1] = (uint8_t)(word >> 8);
}

static uint8_t read_io(avr_t *avr, avr_io_addr_t address) {
    avr_io_read_t read = avr->io[AVR_DATA_TO_IO(address)].r.c;
    return read == NULL ? avr->data[address] : read(avr, address, avr->io[AVR_DATA_TO_IO(address)].r.param);
}

/* CPSE; SBRC and SBRS; SBIC and SBIS. */
static bool skips_next(avr_t *avr, uint16_t opcode) {
    if ((opcode & 0xfc00) == 0x1000) {
        return avr->data[opcode >> 4 & 0x1f] == avr->data[(opcode & 0xf) | (opcode >> 5 & 0x10)];
    }
    const bool is_register = (opcode & 0xfc00) == 0xfc00;
    const uint8_t value =
        is_register ? avr->data[opcode >> 4 & 0x1f] : read_io(avr, (opcode >> 3 & 0x1f) + 0x20);
    return (value >> (opcode & 7) & 1) == (opcode >> 9 & 1);
}

static int by_address(const void *key, const void *each) {
    const uint32_t address = *(const uint32_t *)key;
    const uint32_t its = ((const skip_t *)each)->address;
    return (address > its) - (address < its);
}

static const skip_t *skip_at(const skips_t *skips, uint32_t address) {
    return bsearch(&address, skips->skips, skips->count, sizeof *skips->skips, by_address);
}

static void pass_skip(avr_t *avr, avr_io_addr_t address, uint8_t value, void *parameter) {
    (void)address, (void)value;
    const skip_t *skip = skip_at(parameter, avr->pc);
    if (skip != NULL && skips_next(avr, skip->opcode)) {
        put_word_of_flash(avr, avr->pc + 2, OUT_TO_SKIP_REGISTER);
    } else if (skip == NULL && (skip = skip_at(parameter, avr->pc - 2)) != NULL) {
        put_word_of_flash(avr, avr->pc, skip->next);
    }
}

/* Replaces the skips at `words`, addresses with a comma after each; false if the part has such a register. */
static bool replace_skips(avr_t *avr, skips_t *skips, const char *words) {
    for (char *end; *words != '\0'; words = end + 1) {
        const uint32_t address = (uint32_t)strtoul(words, &end, 0);
        skips->skips = realloc(skips->skips, (skips->count + 1) * sizeof *skips->skips);
        if (skips->skips == NULL) {
            return false;
        }
        skips->skips[skips->count++] =
            (skip_t){address, word_of_flash(avr, address), word_of_flash(avr, address + 2)};
        put_word_of_flash(avr, address, OUT_TO_SKIP_REGISTER);
    }
    if (skips->count == 0) {
        return true;
    }
    if (avr->io[AVR_DATA_TO_IO(SKIP_REGISTER)].w.c != NULL) {
        return false;
    }
    avr_register_io_write(avr, SKIP_REGISTER, pass_skip, skips);
    return true;
}

#endif
