/* Runs an AVR test image once for each bit of ranges of its flash, with that bit flipped, and writes what
 * the image wrote, a byte each: flip_bits MCU FLASH CYCLE_LIMIT STEP [FIRST:LAST]... .  A run that ends in
 * another way, or not within the limit, gives 255.  Of all bits each STEP-th is tried. */
#include <simavr/sim_avr.h>
#include <simavr/sim_io.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PORT_DATA = 0x3e, PORT_STATUS = 0x4a, PORT_EXIT = 0x4b, NOTHING = 255 };

static int reads_left;
static int written;
static int has_ended;

static uint8_t read_data(avr_t *avr, avr_io_addr_t address, void *parameter) {
    (void)avr, (void)address, (void)parameter;
    reads_left--;
    return 0;
}

static uint8_t read_status(avr_t *avr, avr_io_addr_t address, void *parameter) {
    (void)avr, (void)address, (void)parameter;
    return reads_left > 0;
}

static void write_data(avr_t *avr, avr_io_addr_t address, uint8_t value, void *parameter) {
    (void)avr, (void)address, (void)parameter;
    written = value;
}

static void write_exit(avr_t *avr, avr_io_addr_t address, uint8_t value, void *parameter) {
    (void)address, (void)value, (void)parameter;
    has_ended = 1;
    avr->state = cpu_Done;
}

static void log_nothing(avr_t *avr, const int level, const char *format, va_list arguments) {
    (void)avr, (void)level, (void)format, (void)arguments;
}

static int run(avr_t *avr, uint64_t limit) {
    avr_reset(avr);
    avr->data[0x5d] = 0;
    const uint64_t start = avr->cycle;
    reads_left = 1;
    written = NOTHING;
    has_ended = 0;
    int state = cpu_Running;
    while (!has_ended && state != cpu_Crashed && state != cpu_Done && avr->cycle - start < limit) {
        state = avr_run(avr);
    }
    return has_ended ? written : NOTHING;
}

int main(int count, char **words) {
    avr_global_logger_set(log_nothing);
    avr_t *avr = avr_make_mcu_by_name(words[1]);
    FILE *file = fopen(words[2], "rb");
    if (avr == NULL || avr_init(avr) != 0 || file == NULL) {
        return EXIT_FAILURE;
    }
    const size_t size = fread(avr->flash, 1, avr->flashend + 1, file);
    fclose(file);
    avr->codeend = avr->flashend;
    avr->run_cycle_limit = 10000;
    avr_register_io_read(avr, PORT_DATA, read_data, NULL);
    avr_register_io_read(avr, PORT_STATUS, read_status, NULL);
    avr_register_io_write(avr, PORT_DATA, write_data, NULL);
    avr_register_io_write(avr, PORT_EXIT, write_exit, NULL);
    const uint64_t limit = strtoull(words[3], NULL, 0);
    const unsigned step = (unsigned)strtoul(words[4], NULL, 0);
    putchar(run(avr, limit)); /* as it is */
    unsigned bit = 0;
    for (int word = 5; word < count; word++) {
        char *rest;
        const size_t first = strtoul(words[word], &rest, 0);
        const size_t last = strtoul(rest + 1, NULL, 0);
        for (size_t byte = first; byte <= last && byte < size; byte++) {
            for (unsigned place = 0; place < 8; place++) {
                if (bit++ % step == 0) {
                    avr->flash[byte] ^= (uint8_t)(1u << place);
                    putchar(run(avr, limit));
                    avr->flash[byte] ^= (uint8_t)(1u << place);
                }
            }
        }
    }
    return EXIT_SUCCESS;
}
