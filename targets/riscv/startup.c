/* Startup of RISC-V firmware in machine mode: registers, write protection, .data and .bss, then main().
 * In assembly, because C may not run before the stack pointer and the global pointer are set.
 */
void tinyml_fault(void) __attribute__((weak, noreturn, aligned(4)));

/* An exception that nobody expects; the test port has its own, which names the fault. */
void tinyml_fault(void) {
    for (;;) {
        __asm__ volatile("wfi");
    }
}

/* The first entry of the physical memory protection begins the second one's range, which may be read and
 * run; the second byte of its register is "locked, top of range, execute, read".  Locked, it holds in
 * machine mode too: privileged architecture, 3.7.1.  A core without such registers goes on at 1 instead. */
__asm__("   .section .reset, \"ax\", @progbits\n"
        "   .option push\n"
        "   .option arch, +zicsr\n"
        "   .global tinyml_reset\n"
        "   .type tinyml_reset, @function\n"
        "tinyml_reset:\n"
        "   .option push\n"
        "   .option norelax\n" /* or the linker would make it relative to itself */
        "   la gp, __global_pointer$\n"
        "   .option pop\n"
        "   la sp, __stack_top\n"
        "   la t0, 1f\n"
        "   csrw mtvec, t0\n"
        "   la t0, __flash_origin\n"
        "   srli t0, t0, 2\n" /* counted in words */
        "   csrw pmpaddr0, t0\n"
        "   la t0, __flash_end\n"
        "   srli t0, t0, 2\n"
        "   csrw pmpaddr1, t0\n"
        "   li t0, 0x8d00\n"
        "   csrw pmpcfg0, t0\n"
        "   .balign 4\n" /* of a trap vector, whose lowest bits mean something else */
        "1: la t0, tinyml_fault\n"
        "   csrw mtvec, t0\n"
        /* Copy .data, then clear .bss, which begins where .data ends. */
        "   la t0, __data_load\n"
        "   la t1, __data_start\n"
        "   la t2, __bss_start\n"
        "   j 3f\n"
        "2: lw t3, 0(t0)\n"
        "   sw t3, 0(t1)\n"
        "   addi t0, t0, 4\n"
        "   addi t1, t1, 4\n"
        "3: bne t1, t2, 2b\n"
        "   la t2, __bss_end\n"
        "   j 5f\n"
        "4: sw zero, 0(t1)\n"
        "   addi t1, t1, 4\n"
        "5: bne t1, t2, 4b\n"
        "   call main\n"
        "   tail tinyml_fault\n" /* main does not return */
        "   .size tinyml_reset, . - tinyml_reset\n"
        "   .option pop\n"
        "   .text\n");
