/* Test port of Cortex-M parts: semihosting, on files in the runner's working directory. */
#include "port.h"
#include "semihosting.h"

#include <stdint.h>

/* `name_size` excludes the final zero.  A file that does not open is an endless error: exit. */
static uint32_t open_file(const char *name, uint32_t name_size, uint32_t mode) {
    const uint32_t arguments[] = {(uint32_t)name, mode, name_size};
    uint32_t handle = semihosting(SYS_OPEN, arguments);
    if (handle == UINT32_MAX) {
        tinyml_port_exit(TINYML_EXIT_OUTPUT_FAILED);
    }
    return handle;
}

static void write_file(uint32_t handle, const void *buffer, size_t size) {
    const uint32_t arguments[] = {handle, (uint32_t)buffer, size};
    if (semihosting(SYS_WRITE, arguments) != 0) {
        tinyml_port_exit(TINYML_EXIT_OUTPUT_FAILED);
    }
}

bool tinyml_port_read(void *buffer, size_t size) {
    static uint32_t handle;
    if (handle == 0) {
        handle = open_file("input.bin", 9, OPEN_READ_BINARY);
    }
    const uint32_t arguments[] = {handle, (uint32_t)buffer, size};
    uint32_t unread = semihosting(SYS_READ, arguments);
    if (unread != 0 && unread != size) {
        tinyml_port_exit(TINYML_EXIT_INPUT_TRUNCATED);
    }
    return unread == 0;
}

void tinyml_port_write(const void *buffer, size_t size) {
    static uint32_t handle;
    if (handle == 0) {
        handle = open_file("output.bin", 10, OPEN_WRITE_BINARY);
    }
    write_file(handle, buffer, size);
}

void tinyml_port_exit(int status) {
    const uint32_t arguments[] = {APPLICATION_EXIT, (uint32_t)status};
    for (;;) {
        semihosting(SYS_EXIT_EXTENDED, arguments);
    }
}

/* ---- stack ---- */

#define PAINT 0x5aa55aa5
#define TEXT(value) #value
#define EXPAND(value) TEXT(value)

extern uint32_t __bss_end[];
static uint32_t *painted_top __attribute__((used)); /* the caller's stack pointer */

/* Naked: with a frame of its own it would not know the stack pointer of its caller. */
__attribute__((naked)) void tinyml_port_paint_stack(void) {
    __asm__ volatile("   mov r0, sp\n"
                     "   ldr r1, =painted_top\n"
                     "   str r0, [r1]\n"
                     "   ldr r1, =__bss_end\n"
                     "   ldr r2, =" EXPAND(PAINT) "\n"
                     "1: cmp r0, r1\n"
                     "   itt hi\n"
                     "   strhi r2, [r0, #-4]!\n"
                     "   bhi 1b\n"
                     "   bx lr\n"
                     "   .ltorg\n");
}

/* stack.bin: bytes between the caller's stack pointer and the deepest word written. */
void tinyml_port_report_stack(void) {
    const uint32_t *deepest = __bss_end;
    while (deepest != painted_top && *deepest == PAINT) {
        deepest++;
    }
    uint32_t used_bytes = (uint32_t)(painted_top - deepest) * 4u;
    write_file(open_file("stack.bin", 9, OPEN_WRITE_BINARY), &used_bytes, sizeof used_bytes);
}

/* ---- faults ---- */

#define FAULT_STATUS (*(volatile uint32_t *)0xe000ed28) /* CFSR; ARMv7-M manual, B3.2.15 */

/* Bits of FAULT_STATUS by the byte or half that tells whose fault it was. */
static const char *fault_name(uint32_t fault_status) {
    if (fault_status & 0x00010000u) {
        return "undefined instruction";
    }
    if (fault_status & 0x03000000u) {
        return fault_status & 0x01000000u ? "unaligned access" : "division by zero";
    }
    if (fault_status & 0xffff0000u) {
        return "usage fault";
    }
    if (fault_status & 0x0000ff00u) {
        return "bus fault";
    }
    return fault_status & 0x000000ffu ? "memory management fault" : "unexpected exception";
}

/* Replaces the weak one of startup.c, on a fresh stack: the old one may be what is broken. */
__attribute__((naked)) void tinyml_fault(void) {
    __asm__ volatile("ldr r0, =__stack_top\n\t"
                     "mov sp, r0\n\t"
                     "b tinyml_report_fault\n\t"
                     ".ltorg");
}

void tinyml_report_fault(void) __attribute__((noreturn, used));
void tinyml_report_fault(void) {
    semihosting(SYS_WRITE0, "fault: ");
    semihosting(SYS_WRITE0, fault_name(FAULT_STATUS));
    semihosting(SYS_WRITE0, "\n");
    tinyml_port_exit(TINYML_EXIT_FAULT);
}
