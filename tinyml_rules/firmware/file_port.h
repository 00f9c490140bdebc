/* The test port on files in the emulator's working directory: the rest of a family's port.c, which has
 * defined file_open, file_read, file_write, emulator_print and emulator_exit before it includes this, and
 * then defines tinyml_port_paint_stack: from the caller's stack pointer, which goes to painted_top, down
 * to __stack_bottom every word becomes PAINT.
 */
#include "port.h"

#include <stdint.h>

/* A file that does not open would be an endless error: exit. */
static uint32_t open_or_exit(const char *name, uint32_t name_size, uint32_t mode) {
    uint32_t handle = file_open(name, name_size, mode);
    if (handle == UINT32_MAX) {
        tinyml_port_exit(TINYML_EXIT_OUTPUT_FAILED);
    }
    return handle;
}

static void write_or_exit(uint32_t handle, const void *buffer, size_t size) {
    if (file_write(handle, buffer, size) != 0) {
        tinyml_port_exit(TINYML_EXIT_OUTPUT_FAILED);
    }
}

bool tinyml_port_read(void *buffer, size_t size) {
    static uint32_t handle;
    if (handle == 0) {
        handle = open_or_exit("input.bin", 9, FILE_READ);
    }
    uint32_t unread = file_read(handle, buffer, size);
    if (unread != 0 && unread != size) {
        tinyml_port_exit(TINYML_EXIT_INPUT_TRUNCATED);
    }
    return unread == 0;
}

void tinyml_port_write(const void *buffer, size_t size) {
    static uint32_t handle;
    if (handle == 0) {
        handle = open_or_exit("output.bin", 10, FILE_WRITE);
    }
    write_or_exit(handle, buffer, size);
}

void tinyml_port_exit(int status) {
    for (;;) {
        emulator_exit(status);
    }
}

/* ---- stack ---- */

#define PAINT 0x5aa55aa5
#define TEXT(value) #value
#define EXPAND(value) TEXT(value)

extern uint32_t __stack_bottom[]; /* from link.ld */
static uint32_t *painted_top __attribute__((used)); /* assembly stores it */

/* stack.bin: bytes between the caller's stack pointer and the deepest word written. */
void tinyml_port_report_stack(void) {
    const uint32_t *deepest = __stack_bottom;
    while (deepest != painted_top && *deepest == PAINT) {
        deepest++;
    }
    uint32_t used_bytes = (uint32_t)(painted_top - deepest) * 4u;
    write_or_exit(open_or_exit("stack.bin", 9, FILE_WRITE), &used_bytes, sizeof used_bytes);
}

/* ---- faults ---- */

static void print_hexadecimal(uint32_t value) {
    char digits[9] = {0};
    for (int i = 7; i >= 0; i--) {
        uint32_t digit = value & 15u;
        digits[i] = (char)(digit < 10 ? '0' + digit : 'a' + digit - 10);
        value >>= 4;
    }
    emulator_print(digits);
}

/* Ends the run with a message on the standard error of the emulator. */
static void report_fault(const char *what, uint32_t program_counter, uint32_t stack_pointer) {
    bool is_overflow = stack_pointer < (uint32_t)__stack_bottom;
    emulator_print("fault: ");
    emulator_print(is_overflow ? "stack overflow" : what);
    emulator_print(" at 0x");
    print_hexadecimal(program_counter);
    emulator_print("\n");
    tinyml_port_exit(TINYML_EXIT_FAULT);
}
