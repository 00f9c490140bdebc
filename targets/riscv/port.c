/* Test port of RISC-V parts: semihosting, on files in the runner's working directory. */
#include "semihosting.h"

#include "file_port.h"

/* Naked: with a frame of its own it would not know the stack pointer of its caller. */
__attribute__((naked)) void tinyml_port_paint_stack(void) {
    __asm__ volatile("   la t0, painted_top\n"
                     "   sw sp, 0(t0)\n"
                     "   mv t0, sp\n"
                     "   la t1, __stack_bottom\n"
                     "   li t2, " EXPAND(PAINT) "\n"
                     "1: bleu t0, t1, 2f\n"
                     "   addi t0, t0, -4\n"
                     "   sw t2, 0(t0)\n"
                     "   j 1b\n"
                     "2: ret");
}

/* ---- faults ---- */

/* Causes of synchronous exceptions; privileged architecture, 3.1.15. */
static const char *fault_name(uint32_t cause) {
    switch (cause) {
    case 0:
        return "instruction address misaligned";
    case 1:
        return "instruction access fault";
    case 2:
        return "illegal instruction";
    case 3:
        return "breakpoint";
    case 4:
        return "load address misaligned";
    case 5:
        return "load access fault";
    case 6:
        return "store address misaligned";
    case 7:
        return "store access fault";
    default:
        return cause >> 31 ? "unexpected interrupt" : "unexpected exception";
    }
}

/* Replaces the weak one of startup.c, on a fresh stack: the old one may be what is broken. */
__attribute__((naked, aligned(4))) void tinyml_fault(void) {
    __asm__ volatile(".option push\n\t"
                     ".option arch, +zicsr\n\t"
                     "csrr a0, mcause\n\t"
                     "csrr a1, mepc\n\t"
                     ".option pop\n\t"
                     "mv a2, sp\n\t"
                     "la sp, __stack_top\n\t"
                     "tail tinyml_report_fault");
}

void tinyml_report_fault(uint32_t cause, uint32_t program_counter, uint32_t stack_pointer)
    __attribute__((noreturn, used));
void tinyml_report_fault(uint32_t cause, uint32_t program_counter, uint32_t stack_pointer) {
    report_fault(fault_name(cause), program_counter, stack_pointer);
    for (;;) {
    }
}
