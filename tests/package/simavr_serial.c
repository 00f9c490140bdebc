/* Runs a sketch on libsimavr and copies what it prints on its serial port to standard output.
 *
 *   simavr_serial PART ELF LINES [SELECT_PIN WEIGHTS]
 *
 * ends after LINES lines, with an SPI memory that holds the file WEIGHTS if one is named.  Exit status:
 * 0, or 1 if the part stops before.
 */
#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_elf.h>
#include <simavr/sim_io.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simavr_spi_memory.h"

enum { CLOCK_HZ = 16000000 };

static void print_byte(struct avr_irq_t *irq, uint32_t value, void *parameter) {
    (void)irq;
    unsigned *lines_left = parameter;
    if (*lines_left > 0) {
        putchar((int)value);
        *lines_left -= value == '\n';
    }
}

static bool read_weights(spi_memory_t *memory, const char *name) {
    FILE *file = fopen(name, "rb");
    if (file == NULL) {
        return false;
    }
    fseek(file, 0, SEEK_END);
    memory->size = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(memory->size + 1);
    memory->bytes = bytes;
    bool is_read = bytes != NULL && fread(bytes, 1, memory->size, file) == memory->size;
    fclose(file);
    return is_read;
}

int main(int count, char **words) {
    elf_firmware_t firmware = {0};
    if ((count != 4 && count != 6) || elf_read_firmware(words[2], &firmware) != 0) {
        fputs("usage: simavr_serial PART ELF LINES [SELECT_PIN WEIGHTS]\n", stderr);
        return EXIT_FAILURE;
    }
    avr_t *avr = avr_make_mcu_by_name(words[1]);
    if (avr == NULL || avr_init(avr) != 0) {
        return EXIT_FAILURE;
    }
    avr->frequency = firmware.frequency = CLOCK_HZ;
    avr_load_firmware(avr, &firmware);

    uint32_t flags = 0;
    avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags); /* or simavr prints, and sleeps, too */
    unsigned lines_left = (unsigned)strtoul(words[3], NULL, 0);
    avr_irq_t *uart = avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT);
    avr_irq_register_notify(uart, print_byte, &lines_left);

    spi_memory_t memory = {0};
    if (count == 6
        && (!read_weights(&memory, words[5]) || !connect_memory(avr, &memory, words[4]))) {
        fprintf(stderr, "no memory with %s at pin %s\n", words[5], words[4]);
        return EXIT_FAILURE;
    }
    while (lines_left > 0 && !memory.is_wrong) {
        int state = avr_run(avr);
        if (state == cpu_Done || state == cpu_Crashed) {
            break;
        }
    }
    return lines_left == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
