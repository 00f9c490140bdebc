"""C programs that are interrupted: handlers whose frames are written from the lowest byte on."""

FILL = """
static inline void bad_fill(volatile int8_t *room, int size) {
    for (int i = 0; i < size; i++) { room[i] = (int8_t)i; }
}
static volatile int8_t bad_seen;
"""
ARM = r"""
#ifdef __ARM_FP /* then the core has registers of the FPU to keep */
#define BAD_REAL volatile float real = 0.5f; real = real * 1.5f;
#else
#define BAD_REAL
#endif
void bad_low(void);
void bad_high(void);
#define BAD_CONTROL (*(volatile uint32_t *)0xe000ed04)
void bad_high(void) {
    volatile int8_t room[300];
    bad_fill(room, 300);
    bad_seen = room[3];
}
void bad_low(void) {
    volatile int8_t room[200];
    bad_fill(room, 200);
    BAD_REAL
    BAD_CONTROL = 1u << 26; /* SysTick is pending, and has the higher priority */
    __asm__ volatile("dsb\n\tisb" ::: "memory");
    bad_seen = (int8_t)(bad_seen + room[1]);
}
"""
ARM_TABLE = """
static void (*const bad_table[16])(void) __attribute__((aligned(128))) = {
    [14] = bad_low, [15] = bad_high
};
"""
ARM_INVOKE = r"""
    volatile int8_t room[100];
    BAD_REAL
    bad_fill(room, 100);
    *(volatile uint32_t *)0xe000ed20 = 0x40ff0000; /* SHPR3: the priorities of the two */
    *(volatile uint32_t *)0xe000ed08 = (uint32_t)bad_table; /* VTOR */
    BAD_CONTROL = 1u << 28; /* PendSV is pending */
    __asm__ volatile("dsb\n\tisb" ::: "memory");
    bad_value = (int8_t)(bad_seen + room[2]);
"""
RISCV = """
void bad_trap(void) __attribute__((interrupt));
void bad_trap(void) {
    volatile int8_t room[300];
    *(volatile uint32_t *)0x2000000 = 0; /* no software interrupt is pending any more */
    bad_fill(room, 300);
    bad_seen = room[3];
}
"""
RISCV_INVOKE = r"""
    volatile int8_t room[100];
    bad_fill(room, 100);
    __asm__ volatile(".option push\n\t.option arch, +zicsr\n\t"
                     "csrw mtvec, %0\n\tcsrsi mie, 8\n\tcsrsi mstatus, 8\n\t"
                     ".option pop" : : "r"(bad_trap));
    *(volatile uint32_t *)0x2000000 = 1;
    while (bad_seen == 0) {
    }
    bad_value = (int8_t)(bad_seen + room[2]);
"""
AVR = """
#include <avr/interrupt.h>
#include <avr/io.h>
ISR(TIMER0_COMPB_vect) {
    volatile int8_t room[90];
    TIMSK0 = 0;
    bad_fill(room, 90);
    bad_seen |= 1;
}
ISR(TIMER0_COMPA_vect, %s) {
    volatile int8_t room[60];
    TIMSK0 = 1 << OCIE0B;
    bad_fill(room, 60);
    bad_seen |= 2;
    while (%s) {
    }
}
"""
AVR_INVOKE = """
    volatile int8_t room[40];
    bad_fill(room, 40);
    OCR0A = 10;
    OCR0B = 200;
    TIMSK0 = 1 << OCIE0A;
    TCCR0B = 1;
    sei();
    while (bad_seen != 3) {
    }
    cli();
    bad_value = (int8_t)(bad_seen + room[2]);
"""
