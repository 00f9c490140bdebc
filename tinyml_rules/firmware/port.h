/* How a test image talks to the world outside; each family of targets implements it in port.c.
 * The minimal image, whose flash, RAM and stack are reported, contains none of it.
 */
#ifndef TINYML_PORT_H
#define TINYML_PORT_H

#include <stdbool.h>
#include <stddef.h>

enum {
    TINYML_EXIT_DONE = 0,
    TINYML_EXIT_INPUT_TRUNCATED = 65, /* the input ended inside a buffer */
    TINYML_EXIT_OUTPUT_FAILED = 66,
    TINYML_EXIT_FAULT = 70, /* the processor took a fault; a message was printed */
};

/* Fills `buffer` with the next `size` bytes of input; false at the end of the input. */
bool tinyml_port_read(void *buffer, size_t size);

void tinyml_port_write(const void *buffer, size_t size);

/* Ends the run with an exit status below 128. */
void tinyml_port_exit(int status) __attribute__((noreturn));

/* Where the runner cannot watch the stack pointer: paint the free stack, so that the report
 * tells how far below its caller's stack pointer a call between the two has gone. */
void tinyml_port_paint_stack(void);
void tinyml_port_report_stack(void);

#endif
