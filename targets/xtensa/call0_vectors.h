/* Vectors and the first instructions of a core without register windows (LX106).  Included by startup.c.
 * Vectors: "Xtensa Instruction Set Architecture", 4.4; their places are the configuration's.
 */

/* Nothing here enables an interrupt: every vector is a fault.  a0 is kept in EXCSAVE1. */
__asm__("   .section .vectors, \"ax\", @progbits\n"
        "   .balign 256\n"
        "tinyml_vectors:\n"
        "0: .word tinyml_fault\n"
        "   .macro tinyml_vector place\n"
        "   .org \\place\n"
        "   wsr.excsave1 a0\n"
        "   l32r a0, 0b\n"
        "   jx a0\n"
        "   .endm\n"
        "   tinyml_vector 0x10\n" /* debug */
        "   tinyml_vector 0x20\n" /* NMI */
        "   tinyml_vector 0x30\n" /* exception in kernel mode */
        "   tinyml_vector 0x50\n" /* exception in user mode */
        "   tinyml_vector 0x70\n" /* exception in an exception */
        "   .balign 4\n"
        "1: .word tinyml_vectors\n"
        "2: .word __stack_top\n"
        "3: .word tinyml_start\n"
        "   .global tinyml_reset\n"
        "   .type tinyml_reset, @function\n"
        "tinyml_reset:\n"
        "   l32r a2, 1b\n"
        "   wsr.vecbase a2\n"
        "   movi a2, 0x2f\n" /* user mode, no exception at work, interrupts off */
        "   wsr.ps a2\n"
        "   rsync\n"
        "   l32r a1, 2b\n"
        "   l32r a0, 3b\n"
        "   jx a0\n"
        "   .size tinyml_reset, . - tinyml_reset\n"
        "   .text\n");
