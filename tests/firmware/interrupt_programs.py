"""C programs that are interrupted: handlers whose frames are written from the lowest byte on, and
which fill what an ABI aligns the stack to, so that no byte of a frame is left as it was."""

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
void bad_highest(void);
#define BAD_CONTROL (*(volatile uint32_t *)0xe000ed04)
#define BAD_PEND(bit) BAD_CONTROL = 1u << (bit); __asm__ volatile("dsb\n\tisb" ::: "memory");
void bad_highest(void) {
    volatile int8_t room[72];
    bad_fill(room, 72);
    bad_seen = room[3];
}
void bad_high(void) {
    volatile int8_t room[304];
    bad_fill(room, 304);
    BAD_REAL
    BAD_PEND(31) /* NMI */
    bad_seen = (int8_t)(bad_seen + room[3]);
}
void bad_low(void) {
    volatile int8_t room[200];
    bad_fill(room, 200);
    BAD_REAL
    BAD_PEND(26) /* SysTick, which has the higher priority */
    bad_seen = (int8_t)(bad_seen + room[1]);
}
"""
ARM_TABLE = """
static void (*const bad_table[16])(void) __attribute__((aligned(128))) = {
    [2] = bad_highest, [14] = bad_low, [15] = bad_high
};
"""
ARM_INVOKE = r"""
    volatile int8_t room[100];
    BAD_REAL
    bad_fill(room, 100);
    *(volatile uint32_t *)0xe000ed20 = 0x40ff0000; /* SHPR3: the priorities of the two */
    *(volatile uint32_t *)0xe000ed08 = (uint32_t)bad_table; /* VTOR */
    BAD_PEND(28) /* PendSV */
    bad_value = (int8_t)(bad_seen + room[2]);
"""
RISCV = """
void bad_trap(void) __attribute__((interrupt));
void bad_trap(void) {
    volatile int8_t room[304];
    *(volatile uint32_t *)0x2000000 = 0; /* no software interrupt is pending any more */
    bad_fill(room, 304);
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
RISCV_TWO = r"""
#define BAD_CSR(text) ".option push\n\t.option arch, +zicsr\n\t" text "\n\t.option pop"
void bad_timer(void) __attribute__((interrupt));
void bad_software(void) __attribute__((interrupt));
void bad_timer(void) {
    volatile int8_t room[208];
    *(volatile uint32_t *)0x2004004 = UINT32_MAX; /* mtimecmp: no more of it */
    bad_fill(room, 208);
    bad_seen |= 1;
}
void bad_software(void) {
    volatile int8_t room[304];
    uint32_t place, status;
    __asm__ volatile(BAD_CSR("csrr %0, mepc\n\tcsrr %1, mstatus") : "=r"(place), "=r"(status));
    *(volatile uint32_t *)0x2000000 = 0;
    bad_fill(room, 304);
    *(volatile uint32_t *)0x2004000 = 0;
    *(volatile uint32_t *)0x2004004 = 0;
    __asm__ volatile(BAD_CSR("csrs mie, %0\n\tcsrsi mstatus, 8") : : "r"(0x80));
    while (bad_seen == 0) {
    }
    __asm__ volatile(BAD_CSR("csrw mepc, %0\n\tcsrw mstatus, %1") : : "r"(place), "r"(status));
    bad_seen |= 2;
}
__asm__(".text\n.option push\n.option norvc\n.balign 256\n.global bad_vectors\nbad_vectors:\n"
        "j .\nj .\nj .\nj bad_software\nj .\nj .\nj .\nj bad_timer\n.option pop\n");
extern const char bad_vectors[];
"""
RISCV_TWO_INVOKE = r"""
    volatile int8_t room[112];
    bad_fill(room, 112);
    __asm__ volatile(BAD_CSR("csrw mtvec, %0\n\tcsrsi mie, 8\n\tcsrsi mstatus, 8")
                     : : "r"(bad_vectors + 1));
    *(volatile uint32_t *)0x2000000 = 1;
    while (bad_seen != 3) {
    }
    bad_value = (int8_t)(bad_seen + room[2]);
"""
