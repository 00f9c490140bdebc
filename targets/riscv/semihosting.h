/* The call of the debugger, or of an emulator in its place, on RISC-V. */
#ifndef TINYML_SEMIHOSTING_H
#define TINYML_SEMIHOSTING_H

#include <stdint.h>

/* The two shifts, which do nothing, tell this EBREAK from another; all three have four bytes and lie in one
 * page ("RISC-V Semihosting", 2). */
static inline uint32_t semihosting(uint32_t operation, const void *arguments) {
    register uint32_t a0 __asm__("a0") = operation;
    register const void *a1 __asm__("a1") = arguments;
    __asm__ volatile(".balign 16\n\t" /* with compressed instructions, or it cannot fill two bytes */
                     ".option push\n\t"
                     ".option norvc\n\t"
                     "slli zero, zero, 0x1f\n\t"
                     "ebreak\n\t"
                     "srai zero, zero, 7\n\t"
                     ".option pop"
                     : "+r"(a0)
                     : "r"(a1)
                     : "memory");
    return a0;
}

#include "semihosting_calls.h"

#endif
