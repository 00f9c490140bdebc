/* The board's startup: vectors, variables, then the kernel. */
#include <rtthread.h>

extern rt_uint32_t stack_top[], data_load[], data_start[], data_end[], bss_start[], bss_end[];

void reset(void);

__attribute__((section(".vectors"), used)) static void (*const vectors[2])(void) = {
    (void (*)(void))stack_top,
    reset,
};

void reset(void)
{
    const rt_uint32_t *from = data_load;
    for (rt_uint32_t *to = data_start; to != data_end; to++) {
        *to = *from++;
    }
    for (rt_uint32_t *to = bss_start; to != bss_end; to++) {
        *to = 0;
    }
    rtthread_startup();
}
