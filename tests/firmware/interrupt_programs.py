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
XTENSA = r"""
/* the seventh interrupt, that of software, of level 1 */
#define BAD_SET(name) \
    { uint32_t bit = 128; __asm__ volatile("wsr %0, " name "\n\trsync" : : "a"(bit)); }
#define BAD_LET_IN { uint32_t old; __asm__ volatile("rsil %0, 0" : "=a"(old) : : "memory"); }
void bad_handle(void);
void bad_handle(void) {
    volatile int8_t room[512];
    bad_fill(room, 512);
    BAD_SET("intclear")
    if (bad_seen == 0) {
        bad_seen = 1;
        BAD_SET("intset")
        BAD_LET_IN
        while (bad_seen != 2) {
        }
    } else {
        bad_seen = 2;
    }
    bad_seen = (int8_t)(bad_seen + (room[1] == 0));
}
"""
XTENSA_INVOKE = r"""
    volatile int8_t room[112];
    bad_fill(room, 112);
    BAD_SET("intenable")
    BAD_SET("intset")
    BAD_LET_IN
    while (bad_seen != 2) {
    }
    bad_value = (int8_t)(bad_seen + room[2]);
"""
_XTENSA_BEGIN = """.section .text.tinyml_fault, "ax", @progbits
.balign 4
.global tinyml_fault
.type tinyml_fault, @function
tinyml_fault:"""


def _xtensa_handler(body: str) -> str:
    """A handler in place of that of startup, which leaves the program's a0 in EXCSAVE1."""
    text = f"{_XTENSA_BEGIN}\n{body}\n.size tinyml_fault, . - tinyml_fault\n.text\n"
    lines = "\n".join(f'"{line}\\n"' for line in text.replace('"', '\\"').splitlines())
    return f"__asm__({lines});\n"


def _moved(word: str, first: int, last: int) -> str:
    """Registers to the frame, or from it."""
    return "\n".join(f"{word} a{each}, a1, {4 * each}" for each in range(first, last + 1))


def _special(names: str, *, at: int, is_kept: bool) -> str:
    """Special registers to the frame by a2, or from it."""
    kept, fetched = "rsr a2, {0}\ns32i a2, a1, {1}", "l32i a2, a1, {1}\nwsr a2, {0}"
    form = kept if is_kept else fetched
    return "\n".join(
        form.format(name, at + 4 * number) for number, name in enumerate(names.split())
    )


XTENSA_CALL0 = _xtensa_handler(
    f"""addi a1, a1, -64
{_moved("s32i", 2, 11)}
{_special("excsave1", at=0, is_kept=True)}
{_special("epc1 ps sar", at=48, is_kept=True)}
movi a2, 0x2f
wsr a2, ps
rsync
call0 bad_handle
movi a2, 0x3f
wsr a2, ps
rsync
{_special("epc1 ps sar", at=48, is_kept=False)}
rsync
{_moved("l32i", 2, 11)}
l32i a0, a1, 0
addi a1, a1, 64
rfe"""
)
"""Keeps what a C function may change, and lets it have exceptions and interrupts."""
_WINDOWED = "epc1 ps sar lbeg lend lcount"
XTENSA_WINDOWED = _xtensa_handler(
    f"""addi a1, a1, -112
addi a1, a1, -32
{_moved("s32i", 2, 15)}
{_special("excsave1", at=0, is_kept=True)}
{_special(_WINDOWED, at=64, is_kept=True)}
movi a2, 0x2f
movi a3, 1
slli a3, a3, 18
or a2, a2, a3
wsr a2, ps
rsync
addi a1, a1, 112
addi a1, a1, 32
and a12, a12, a12
rotw 3
and a12, a12, a12
rotw 3
and a4, a4, a4
rotw 2
addi a1, a1, -112
addi a1, a1, -32
movi a3, 127
addi a3, a3, 1
add a3, a1, a3
addi a2, a1, -16
s32i a3, a2, 4
movi a0, 0
call8 bad_handle
l32i a2, a1, 68
wsr a2, ps
rsync
{_special(_WINDOWED, at=64, is_kept=False)}
rsync
{_moved("l32i", 2, 15)}
l32i a0, a1, 0
addi a1, a1, 112
addi a1, a1, 32
rfe"""
)
"""The same with windows: all others are spilled, next to the stack pointer of the program, and a
frame is made in which this one can be.  Its highest sixteen bytes are theirs."""
