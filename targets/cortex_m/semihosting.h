/* The call of the debugger, or of an emulator in its place, on Cortex-M. */
#ifndef TINYML_SEMIHOSTING_H
#define TINYML_SEMIHOSTING_H

#include <stdint.h>

static inline uint32_t semihosting(uint32_t operation, const void *arguments) {
    register uint32_t r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = arguments;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

#include "semihosting_calls.h"

#endif
