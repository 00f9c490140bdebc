/* Test port of the host: standard input and output. */
#include "port.h"

#include <stdio.h>
#include <stdlib.h>

bool tinyml_port_read(void *buffer, size_t size) {
    size_t count = fread(buffer, 1, size, stdin);
    if (count != 0 && count != size) {
        tinyml_port_exit(TINYML_EXIT_INPUT_TRUNCATED);
    }
    return count == size;
}

void tinyml_port_write(const void *buffer, size_t size) {
    if (fwrite(buffer, 1, size, stdout) != size) {
        tinyml_port_exit(TINYML_EXIT_OUTPUT_FAILED);
    }
}

void tinyml_port_exit(int status) {
    bool is_written = fflush(stdout) == 0;
    exit(status == TINYML_EXIT_DONE && !is_written ? TINYML_EXIT_OUTPUT_FAILED : status);
}

/* How much stack the host takes says nothing about a microcontroller. */
void tinyml_port_paint_stack(void) {}

void tinyml_port_report_stack(void) {}
