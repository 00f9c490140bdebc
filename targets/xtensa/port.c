/* Test port of Xtensa parts: simulator calls, on files in the runner's working directory. */
#include "simulator_calls.h"

#include "file_port.h"

/* Stands for the boot ROM, where QEMU begins: copies what belongs into IRAM and RAM, and jumps to the
 * firmware. */
__asm__("   .section .emulator, \"ax\", @progbits\n"
        "   j 7f\n"
        "   .balign 4\n"
        "1: .word __iram_load\n"
        "2: .word __iram_start\n"
        "3: .word __iram_end\n"
        "4: .word __data_load\n"
        "5: .word __data_start\n"
        "6: .word __data_end\n"
        "0: .word tinyml_reset\n"
        "   .macro tinyml_copy from, to, end\n"
        "   l32r a2, \\from\n"
        "   l32r a3, \\to\n"
        "   l32r a4, \\end\n"
        "   j 9f\n"
        "8: l32i a5, a2, 0\n"
        "   s32i a5, a3, 0\n"
        "   addi a2, a2, 4\n"
        "   addi a3, a3, 4\n"
        "9: bltu a3, a4, 8b\n"
        "   .endm\n"
        "7: tinyml_copy 1b, 2b, 3b\n"
        "   tinyml_copy 4b, 5b, 6b\n"
        "   l32r a0, 0b\n"
        "   jx a0\n"
        "   .text\n");

#ifdef __XTENSA_CALL0_ABI__
#include "call0_port.h"
#else
#include "windowed_port.h"
#endif

/* ---- faults ---- */

/* EXCCAUSE; "Xtensa Instruction Set Architecture", table 4-64. */
static const char *fault_name(uint32_t cause) {
    switch (cause) {
    case 0:
        return "illegal instruction";
    case 2: /* the same without protection, from a bus, and where it is prohibited */
    case 12:
    case 14:
    case 20:
        return "instruction fetch error";
    case 3:
    case 13:
    case 15:
    case 28:
    case 29:
        return "load or store error";
    case 6:
        return "division by zero";
    case 9:
        return "unaligned access";
    default:
        return "exception";
    }
}

void tinyml_report_fault(uint32_t stack_pointer) __attribute__((noreturn, used));
void tinyml_report_fault(uint32_t stack_pointer) {
    uint32_t cause, program_counter;
    __asm__ volatile("rsr.exccause %0\n\trsr.epc1 %1" : "=r"(cause), "=r"(program_counter));
    report_fault(fault_name(cause), program_counter, stack_pointer);
    for (;;) {
    }
}
