/* What a test image of a core without register windows does in assembly.  Included by port.c. */

/* In assembly: with a frame of its own it would not know the stack pointer of its caller. */
__asm__("   .section .literal.tinyml_port_paint_stack, \"ax\", @progbits\n"
        "   .balign 4\n"
        ".Ltinyml_port_paint_stack_top: .word painted_top\n"
        ".Ltinyml_port_paint_stack_bottom: .word __stack_bottom\n"
        ".Ltinyml_port_paint_stack_paint: .word " EXPAND(PAINT) "\n"
        "   .section .text.tinyml_port_paint_stack, \"ax\", @progbits\n"
        "   .balign 4\n"
        "   .global tinyml_port_paint_stack\n"
        "   .type tinyml_port_paint_stack, @function\n"
        "tinyml_port_paint_stack:\n"
        "   l32r a2, .Ltinyml_port_paint_stack_top\n"
        "   s32i a1, a2, 0\n"
        "   l32r a2, .Ltinyml_port_paint_stack_bottom\n"
        "   l32r a3, .Ltinyml_port_paint_stack_paint\n"
        "   j 5f\n"
        "4: s32i a3, a2, 0\n"
        "   addi a2, a2, 4\n"
        "5: bltu a2, a1, 4b\n"
        "   ret\n"
        "   .size tinyml_port_paint_stack, . - tinyml_port_paint_stack\n"
        "   .text\n");

/* Linked before the weak one of startup.c, whose place it takes; a program may have its own.  On a fresh
 * stack: the old one may be what is broken. */
__asm__("   .section .literal.tinyml_fault, \"ax\", @progbits\n"
        "   .balign 4\n"
        ".Ltinyml_fault_stack: .word __stack_top\n"
        "   .section .text.tinyml_fault, \"ax\", @progbits\n"
        "   .balign 4\n"
        "   .weak tinyml_fault\n"
        "   .type tinyml_fault, @function\n"
        "tinyml_fault:\n"
        "   mov a2, a1\n"
        "   l32r a1, .Ltinyml_fault_stack\n"
        "   call0 tinyml_report_fault\n"
        "   .size tinyml_fault, . - tinyml_fault\n"
        "   .text\n");
