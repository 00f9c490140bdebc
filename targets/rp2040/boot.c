/* The first 256 bytes of flash.  The chip's boot ROM copies them to RAM and runs them there, if the CRC in
 * the last four is right (datasheet, 2.8.1.3.1).  They let the processor read flash as memory, then start
 * the firmware behind them.
 *
 * The command 03h, a plain serial read, is understood by every flash memory.  The interface is described in
 * chapter 4.10: its registers begin at 0x18000000.
 *
 * Instructions are written so that there is one way to encode them: a test compares the CRC.
 */
__asm__("   .section .boot, \"ax\", %progbits\n"
        "   .syntax unified\n"
        "   .cpu cortex-m0plus\n"
        "   .thumb\n"
        "   .balign 256\n"
        "   .global tinyml_boot\n"
        "   .type tinyml_boot, %function\n"
        "   .thumb_func\n"
        "tinyml_boot:\n"
        "   ldr r0, .Linterface\n"
        "   movs r1, #0\n"
        "   str r1, [r0, #0x08]\n" /* SSIENR: off, or it takes no settings */
        "   movs r2, #4\n"
        "   str r2, [r0, #0x14]\n" /* BAUDR: a quarter of the system's clock */
        "   ldr r2, .Lcontrol\n"
        "   str r2, [r0, #0x00]\n" /* CTRLR0 */
        "   str r1, [r0, #0x04]\n" /* CTRLR1: one frame a read */
        "   ldr r2, .Lcommand\n"
        "   ldr r3, .Lcommand_register\n"
        "   str r2, [r3]\n" /* SPI_CTRLR0 */
        "   movs r2, #1\n"
        "   str r2, [r0, #0x08]\n" /* SSIENR: on */
        "   ldr r0, .Lvectors\n"
        "   ldr r1, .Lvector_register\n"
        "   str r0, [r1]\n" /* VTOR */
        "   ldr r1, [r0, #0]\n"
        "   msr msp, r1\n"
        "   ldr r1, [r0, #4]\n"
        "   bx r1\n"
        "   .balign 4, 0\n"
        ".Linterface: .word 0x18000000\n"
        ".Lcontrol: .word 0x001f0300\n" /* frames of 32 bits, sent as a command with an address: EEPROM read */
        ".Lcommand_register: .word 0x180000f4\n"
        ".Lcommand: .word 0x03000218\n" /* 03h; command of 8 bits, address of 24, both on one line */
        ".Lvectors: .word 0x10000100\n"
        ".Lvector_register: .word 0xe000ed08\n"
        "   .org 252\n"
        "   .word 0xb6fb85d7\n" /* the CRC of all that is above */
        "   .size tinyml_boot, . - tinyml_boot\n"
        "   .text\n");
