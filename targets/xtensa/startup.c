/* Startup of Xtensa firmware: exception vectors, .bss, then main().  A loader has put code into IRAM and
 * .data into RAM before: the boot ROM, or the test port in its place.
 */
#include <stdint.h>

/* From link.ld; only their addresses mean something. */
extern uint32_t __bss_start[], __bss_end[];

int main(void);
void tinyml_start(void) __attribute__((noreturn));
void tinyml_fault(void) __attribute__((weak, noreturn));

/* An exception that nobody expects, with a0 of the program in EXCSAVE1; the test port has its own, which
 * names the fault. */
void tinyml_fault(void) {
    for (;;) {
        __asm__ volatile("waiti 15");
    }
}

#ifdef __XTENSA_CALL0_ABI__
#include "call0_vectors.h"
#else
#include "windowed_vectors.h"
#endif

void tinyml_start(void) {
    for (uint32_t *to = __bss_start; to != __bss_end; to++) {
        *to = 0;
    }
    main();
    for (;;) { /* main does not return */
        __asm__ volatile("waiti 15");
    }
}
