/* An imitation of RT-Thread's rtthread.h: what a shell command uses. */
#ifndef RTTHREAD_H
#define RTTHREAD_H

#include <rtconfig.h>
#include <stdint.h>

typedef uint8_t rt_uint8_t;
typedef uint32_t rt_uint32_t;
typedef uint32_t rt_tick_t;

rt_tick_t rt_tick_get(void);
int rt_kprintf(const char *format, ...);
int rtthread_startup(void);

#endif
