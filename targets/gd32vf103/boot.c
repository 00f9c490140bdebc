/* The first instructions after reset, which run where flash is seen at 0 too: a jump to where it was linked for,
 * because startup, which lies behind them, takes addresses relative to itself. */
__asm__("   .section .boot, \"ax\", @progbits\n"
        "   .option push\n"
        "   .option norvc\n" /* six instructions of four bytes each */
        "   .global tinyml_boot\n"
        "   .type tinyml_boot, @function\n"
        "tinyml_boot:\n"
        "   auipc t0, 0\n"
        "   li t1, 1\n"
        "   slli t1, t1, 27\n"
        "   or t0, t0, t1\n" /* 0x08000000 and more, wherever this runs */
        "   addi t0, t0, 24\n"
        "   jr t0\n"
        "   .size tinyml_boot, . - tinyml_boot\n"
        "   .option pop\n"
        "   .text\n");
