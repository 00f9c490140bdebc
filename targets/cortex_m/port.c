/* Test port of Cortex-M parts: semihosting, on files in the runner's working directory. */
#include "semihosting.h"

#include "file_port.h"

extern uint32_t __stack_top[]; /* from link.ld */

/* Naked: with a frame of its own it would not know the stack pointer of its caller. */
__attribute__((naked)) void tinyml_port_paint_stack(void) {
    __asm__ volatile("   .syntax unified\n"
                     "   mov r0, sp\n"
                     "   ldr r1, =painted_top\n"
                     "   str r0, [r1]\n"
                     "   ldr r1, =__stack_bottom\n"
                     "   ldr r2, =" EXPAND(PAINT) "\n"
                     "1: cmp r0, r1\n"
                     "   bls 2f\n"
                     "   subs r0, r0, #4\n"
                     "   str r2, [r0]\n"
                     "   b 1b\n"
                     "2: bx lr\n"
                     "   .ltorg\n");
}

/* ---- faults ---- */

#if __ARM_ARCH >= 7
#define FAULT_STATUS (*(volatile uint32_t *)0xe000ed28) /* CFSR; ARMv7-M manual, B3.2.15 */
#else
#define FAULT_STATUS 0u /* ARMv6-M does not tell */
#endif

/* Bits of FAULT_STATUS by the byte or half that tells whose fault it was. */
static const char *fault_name(uint32_t fault_status) {
    if (fault_status & 0x00100000u) {
        return "stack overflow"; /* STKOF: below the limit that startup has set */
    }
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
    return fault_status & 0x000000ffu ? "memory management fault" : "hard fault";
}

/* Replaces the weak one of startup.c, on a fresh stack: the old one may be what is broken. */
__attribute__((naked)) void tinyml_fault(void) {
    __asm__ volatile("mov r0, sp\n\t"
                     "ldr r1, =__stack_top\n\t"
                     "mov sp, r1\n\t"
                     "bl tinyml_report_fault\n\t" /* the only far branch of ARMv6-M */
                     ".ltorg");
}

/* `frame` is where the processor has put its registers, the program counter behind six others. */
void tinyml_report_fault(const uint32_t *frame) __attribute__((noreturn, used));
void tinyml_report_fault(const uint32_t *frame) {
    bool is_readable = frame > __stack_bottom && frame + 6 < __stack_top; /* at a limit it is not written */
    report_fault(fault_name(FAULT_STATUS), is_readable ? frame[6] : 0, (uint32_t)frame);
    for (;;) {
    }
}
