/* Vectors and the first instructions of a core with register windows.  Included by startup.c.
 * "Xtensa Instruction Set Architecture", 4.7.1: a function's first four registers are kept in the sixteen
 * bytes below the stack pointer of the function that it has called; its further ones, if it has called
 * with call8 or call12, at the low end of the frame of the function that has called it, whose stack
 * pointer is among the registers kept first.  The vectors' places are the configuration's.
 */

/* `store`: s32e keeps, l32e fetches.  In the vector for callN the callee's stack pointer is a(N + 1). */
__asm__("   .section .vectors, \"ax\", @progbits\n"
        "   .balign 1024\n"
        "tinyml_vectors:\n"
        "   .org 0x00\n" /* overflow of a window of four */
        "   s32e a0, a5, -16\n"
        "   s32e a1, a5, -12\n"
        "   s32e a2, a5, -8\n"
        "   s32e a3, a5, -4\n"
        "   rfwo\n"
        "   .org 0x40\n" /* underflow of a window of four */
        "   l32e a0, a5, -16\n"
        "   l32e a1, a5, -12\n"
        "   l32e a2, a5, -8\n"
        "   l32e a3, a5, -4\n"
        "   rfwu\n"
        "   .org 0x80\n" /* overflow of eight */
        "   s32e a0, a9, -16\n"
        "   l32e a0, a1, -12\n"
        "   s32e a1, a9, -12\n"
        "   s32e a2, a9, -8\n"
        "   s32e a3, a9, -4\n"
        "   s32e a4, a0, -32\n"
        "   s32e a5, a0, -28\n"
        "   s32e a6, a0, -24\n"
        "   s32e a7, a0, -20\n"
        "   rfwo\n"
        "   .org 0xc0\n" /* underflow of eight */
        "   l32e a1, a9, -12\n"
        "   l32e a0, a9, -16\n"
        "   l32e a7, a1, -12\n"
        "   l32e a2, a9, -8\n"
        "   l32e a3, a9, -4\n"
        "   l32e a4, a7, -32\n"
        "   l32e a5, a7, -28\n"
        "   l32e a6, a7, -24\n"
        "   l32e a7, a7, -20\n"
        "   rfwu\n"
        "   .org 0x100\n" /* overflow of twelve */
        "   s32e a0, a13, -16\n"
        "   l32e a0, a1, -12\n"
        "   s32e a1, a13, -12\n"
        "   s32e a2, a13, -8\n"
        "   s32e a3, a13, -4\n"
        "   s32e a4, a0, -48\n"
        "   s32e a5, a0, -44\n"
        "   s32e a6, a0, -40\n"
        "   s32e a7, a0, -36\n"
        "   s32e a8, a0, -32\n"
        "   s32e a9, a0, -28\n"
        "   s32e a10, a0, -24\n"
        "   s32e a11, a0, -20\n"
        "   rfwo\n"
        "   .org 0x140\n" /* underflow of twelve */
        "   l32e a1, a13, -12\n"
        "   l32e a0, a13, -16\n"
        "   l32e a11, a1, -12\n"
        "   l32e a2, a13, -8\n"
        "   l32e a3, a13, -4\n"
        "   l32e a4, a11, -48\n"
        "   l32e a5, a11, -44\n"
        "   l32e a6, a11, -40\n"
        "   l32e a7, a11, -36\n"
        "   l32e a8, a11, -32\n"
        "   l32e a9, a11, -28\n"
        "   l32e a10, a11, -24\n"
        "   l32e a11, a11, -20\n"
        "   rfwu\n"
        "   .balign 4\n"
        "1: .word tinyml_fault\n"
        "2: .word tinyml_vectors\n"
        "3: .word __stack_top\n"
        "4: .word tinyml_start\n"
        "5: .word 0x4002f\n" /* windows on, user mode, no exception at work, interrupts off */
        /* Nothing here enables an interrupt: every other vector is a fault. */
        "   .macro tinyml_vector place\n"
        "   .org \\place\n"
        "   wsr a0, excsave1\n"
        "   l32r a0, 1b\n"
        "   jx a0\n"
        "   .endm\n"
        "   tinyml_vector 0x280\n" /* debug */
        "   tinyml_vector 0x2c0\n" /* NMI */
        "   tinyml_vector 0x300\n" /* exception in kernel mode */
        "   tinyml_vector 0x340\n" /* exception in user mode */
        "   tinyml_vector 0x3c0\n" /* exception in an exception */
        "   .global tinyml_reset\n"
        "   .type tinyml_reset, @function\n"
        "   .balign 4\n"
        "tinyml_reset:\n"
        "   l32r a2, 2b\n"
        "   wsr a2, vecbase\n"
        "   movi a2, 0\n"
        "   wsr a2, windowbase\n"
        "   rsync\n"
        "   movi a2, 1\n"
        "   wsr a2, windowstart\n"
        "   rsync\n"
        "   l32r a2, 5b\n"
        "   wsr a2, ps\n"
        "   rsync\n"
        /* A frame for the registers of this one: those kept first would name the end of the stack. */
        "   l32r a1, 3b\n"
        "   addi a3, a1, -48\n"
        "   s32i a1, a3, 4\n"
        "   addi a1, a1, -32\n"
        "   movi a0, 0\n"
        "   l32r a8, 4b\n"
        "   callx8 a8\n"
        "6: waiti 15\n" /* tinyml_start does not return */
        "   j 6b\n"
        "   .size tinyml_reset, . - tinyml_reset\n"
        "   .text\n");
