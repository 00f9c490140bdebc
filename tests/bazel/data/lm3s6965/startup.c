/* A firmware team's own startup code, which ends QEMU with what main() returns. */
#include <stdint.h>

#define SYS_EXIT 0x18U
#define ENDED_WELL 0x20026U
#define ENDED_BADLY 0x20024U

extern uint32_t stack_top[], bss_start[], bss_end[];

int main(void);
void reset(void);

static void leave(uint32_t reason)
{
    register uint32_t operation __asm__("r0") = SYS_EXIT;
    register uint32_t argument __asm__("r1") = reason;
    __asm__ volatile("bkpt 0xab" : : "r"(operation), "r"(argument) : "memory");
}

void reset(void)
{
    for (uint32_t *word = bss_start; word < bss_end; word++) {
        *word = 0;
    }
    leave(main() == 0 ? ENDED_WELL : ENDED_BADLY);
    for (;;) {
    }
}

__attribute__((section(".vectors"), used)) static const struct {
    uint32_t *stack;
    void (*reset)(void);
} vectors = {stack_top, reset};
