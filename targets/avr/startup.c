/* Startup of AVR firmware: interrupt vectors, registers, .data and .bss, then main().
 * In assembly, because C may not run before the stack pointer is set and r1 is zero.
 */
#define TINYML_TEXT(value) #value
#define TINYML_EXPAND(value) TINYML_TEXT(value)

#ifdef __AVR_HAVE_ELPMX__
/* Where flash exceeds 64 kB, .data may be stored beyond: RAMPZ holds the address's third byte. */
#define TINYML_ABOVE_64_KB(text) text
#define TINYML_LOAD "elpm"
#else
#define TINYML_ABOVE_64_KB(text)
#define TINYML_LOAD "lpm"
#endif

/* One jump per vector.  A driver defines `void __vector_7(void)` with the attribute `signal`;
 * a vector that nobody defines stops the processor. */
__asm__(".section .vectors, \"ax\", @progbits\n"
        ".altmacro\n"
        ".macro tinyml_vector number\n"
        "    .weak __vector_\\number\n"
        "    .set __vector_\\number, tinyml_unexpected_interrupt\n"
        "    jmp __vector_\\number\n"
        ".endm\n"
        "    jmp tinyml_reset\n"
        "    .set tinyml_index, 1\n"
        "    .rept " TINYML_EXPAND(TINYML_VECTOR_COUNT) " - 1\n"
        "    tinyml_vector %tinyml_index\n"
        "    .set tinyml_index, tinyml_index + 1\n"
        "    .endr\n");

__asm__("   .section .text.tinyml_reset, \"ax\", @progbits\n"
        "   .global tinyml_reset\n"
        "   .type tinyml_reset, @function\n"
        "tinyml_reset:\n"
        "   clr r1\n" /* the compiler's zero */
        "   out 0x3f, r1\n" /* SREG: interrupts off */
        "   ldi r28, lo8(__stack_top)\n"
        "   ldi r29, hi8(__stack_top)\n"
        "   out 0x3e, r29\n"
        "   out 0x3d, r28\n"
        /* Copy .data: from flash at Z to RAM at X, until X is its end. */
        "   ldi r30, lo8(__data_load)\n"
        "   ldi r31, hi8(__data_load)\n"
        TINYML_ABOVE_64_KB("   ldi r16, hh8(__data_load)\n"
                           "   out __RAMPZ__, r16\n")
        "   ldi r26, lo8(__data_start)\n"
        "   ldi r27, hi8(__data_start)\n"
        "   ldi r17, hi8(__data_end)\n"
        "   rjmp 2f\n"
        "1: " TINYML_LOAD " r0, Z+\n"
        "   st X+, r0\n"
        "2: cpi r26, lo8(__data_end)\n"
        "   cpc r27, r17\n"
        "   brne 1b\n"
        /* Clear .bss, which begins where .data ends. */
        "   ldi r17, hi8(__bss_end)\n"
        "   rjmp 4f\n"
        "3: st X+, r1\n"
        "4: cpi r26, lo8(__bss_end)\n"
        "   cpc r27, r17\n"
        "   brne 3b\n"
        "   call main\n"
        "   jmp tinyml_unexpected_interrupt\n" /* main does not return */
        "   .size tinyml_reset, . - tinyml_reset\n"
        "   .text\n");

void tinyml_unexpected_interrupt(void) __attribute__((noreturn));
void tinyml_unexpected_interrupt(void) {
    for (;;) {
        __asm__ volatile("cli\n\tsleep");
    }
}
