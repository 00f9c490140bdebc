/* Guards against a stack that grows beyond its end, for startup code or the first lines of main().
 * docs/explanation/stack.md says what each of them finds.
 */
#ifndef TINYML_STACK_GUARD_H
#define TINYML_STACK_GUARD_H

#include <stdint.h>

#if defined __ARM_ARCH_8M_MAIN__ || defined __ARM_ARCH_8_1M_MAIN__
#define TINYML_HAS_STACK_LIMIT

/* Armv8-M Mainline (Cortex-M33, M55): what would move the main stack pointer below `end`, a multiple of 8, faults
 * before it writes (UsageFault, STKOF; where that is not enabled, HardFault). */
static inline void tinyml_limit_stack(const void *end) {
    __asm__ volatile("msr msplim, %0" : : "r"(end) : "memory");
}

#elif defined __AVR__

/* AVR: four bytes that the stack overwrites first when it grows beyond its end.  Where there are any, the self test of
 * a model looks at them.  Write this once in a program, outside of functions. */
#define TINYML_STACK_CANARY                                                                        \
    volatile uint32_t tinyml_stack_canary                                                          \
        __attribute__((used, section(".noinit.tinyml_stack_canary")))

extern volatile uint32_t tinyml_stack_canary;

/* Before anything calls deep. */
static inline void tinyml_put_stack_canary(void) {
    tinyml_stack_canary = UINT32_C(0x6b43e1d5);
}

#endif
#endif
