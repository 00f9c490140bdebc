/* Test port of AVR parts: three general purpose I/O registers, which the simavr runner
 * watches.  Any other way of running this image reads no input and ends at once.
 */
#include "port.h"

#include <stdint.h>

/* Data addresses, the same on every classic AVR that has these registers. */
#define DATA (*(volatile uint8_t *)0x3e)   /* GPIOR0: the next byte in, or one byte out */
#define STATUS (*(volatile uint8_t *)0x4a) /* GPIOR1: 1 while there is input */
#define EXIT (*(volatile uint8_t *)0x4b)   /* GPIOR2: the exit status, which ends the run */

bool tinyml_port_read(void *buffer, size_t size) {
    uint8_t *to = buffer;
    for (size_t index = 0; index < size; index++) {
        if (STATUS == 0) {
            if (index != 0) {
                tinyml_port_exit(TINYML_EXIT_INPUT_TRUNCATED);
            }
            return false;
        }
        to[index] = DATA;
    }
    return true;
}

void tinyml_port_write(const void *buffer, size_t size) {
    const uint8_t *from = buffer;
    for (size_t index = 0; index < size; index++) {
        DATA = from[index];
    }
}

void tinyml_port_exit(int status) {
    EXIT = (uint8_t)status;
    for (;;) {
        __asm__ volatile("cli\n\tsleep");
    }
}

/* The runner sees the stack pointer itself. */
void tinyml_port_paint_stack(void) {}

void tinyml_port_report_stack(void) {}
