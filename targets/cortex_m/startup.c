/* Startup of Cortex-M firmware: exception vectors, stack limit, FPU, .data and .bss, then main(). */
#include <stdint.h>

#include "tinyml_stack_guard.h"

/* From link.ld; only their addresses mean something. */
extern uint32_t __stack_bottom[], __stack_top[], __data_load[], __data_start[], __data_end[];
extern uint32_t __bss_start[], __bss_end[];

int main(void);
void tinyml_reset(void) __attribute__((noreturn));
void tinyml_fault(void) __attribute__((weak, noreturn));

/* An exception that nobody expects; the test port has its own, which names the fault. */
void tinyml_fault(void) {
    for (;;) {
        __asm__ volatile("wfi");
    }
}

typedef void (*tinyml_vector)(void);

/* The sixteen vectors of the processor itself; nothing here enables an interrupt. */
__attribute__((section(".vectors"), used)) static const tinyml_vector vectors[16] = {
    (tinyml_vector)__stack_top,
    tinyml_reset,
    tinyml_fault, /* NMI */
    tinyml_fault, /* HardFault */
    tinyml_fault, /* MemManage */
    tinyml_fault, /* BusFault */
    tinyml_fault, /* UsageFault */
    0, 0, 0, 0,
    tinyml_fault, /* SVCall */
    tinyml_fault, /* DebugMonitor */
    0,
    tinyml_fault, /* PendSV */
    tinyml_fault, /* SysTick */
};

static void enable_fpu(void) {
#ifdef __ARM_FP
    volatile uint32_t *cpacr = (volatile uint32_t *)0xe000ed88;
    *cpacr |= 0xfu << 20; /* full access to coprocessors 10 and 11 */
    __asm__ volatile("dsb\n\tisb" ::: "memory");
#endif
}

void tinyml_reset(void) {
#ifdef TINYML_HAS_STACK_LIMIT
    tinyml_limit_stack(__stack_bottom);
#endif
    enable_fpu();
    const uint32_t *from = __data_load;
    for (uint32_t *to = __data_start; to != __data_end; to++) {
        *to = *from++;
    }
    for (uint32_t *to = __bss_start; to != __bss_end; to++) {
        *to = 0;
    }
    main();
    tinyml_fault(); /* main does not return */
}
