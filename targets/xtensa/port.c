/* Test port of Xtensa parts: simulator calls, on files in the runner's working directory. */
#include "simulator_calls.h"

#define PAINT 0x5aa55aa5
#define TEXT(value) #value
#define EXPAND(value) TEXT(value)

extern uint32_t __stack_bottom[]; /* from link.ld */
static uint32_t *painted_top __attribute__((used)); /* the caller's stack pointer */

#include "file_port.h"

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
