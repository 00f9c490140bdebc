/* Startup of the ESP8266: the boot ROM has copied IRAM and RAM from flash, but does not map flash. */
#include "../xtensa/startup.c"

/* The image's entry, in IRAM.  On the boot ROM's stack, which lies outside of what is ours, it calls that ROM's
 * Cache_Read_Enable(0, 0, 1): the first megabyte, by all 32 kB of cache. */
__asm__("   .section .iram, \"ax\", @progbits\n"
        "   .balign 4\n"
        "1: .word 0x40004678\n"
        "   .global tinyml_boot\n"
        "   .type tinyml_boot, @function\n"
        "tinyml_boot:\n"
        "   movi a2, 0\n"
        "   movi a3, 0\n"
        "   movi a4, 1\n"
        "   l32r a0, 1b\n"
        "   callx0 a0\n"
        "   j tinyml_reset\n"
        "   .size tinyml_boot, . - tinyml_boot\n"
        "   .text\n");
