/* A shell command: it samples a turning shaft, infers the shaft's height and prints it. */
#include <rtthread.h>
#include <finsh.h>

#include "sine.h"

#define SAMPLES 32

/* How far the shaft has turned since the last call, in 1/256 of a turn: in place of a sensor. */
static rt_uint8_t turned(void)
{
    return (rt_uint8_t)(8U + rt_tick_get() % 16U);
}

static int shaft(int argc, char **argv)
{
    rt_uint8_t angle = 0; /* 1/256 of a turn */
    (void)argc;
    (void)argv;
    for (int sample = 0; sample < SAMPLES; sample++) {
        angle = (rt_uint8_t)(angle + turned());
        const int8_t x = (int8_t)((int)angle - 128); /* the model's input spans one turn */
        *sine_input() = x;
        sine_invoke();
        rt_kprintf("x %d height %d\n", x, *sine_output());
    }
    return 0;
}
MSH_CMD_EXPORT(shaft, sample a turning shaft and infer its height);
