/* An imitation of RT-Thread's kernel and shell: it runs every command once, then switches off. */
#include <rtthread.h>
#include <finsh.h>
#include <stdarg.h>

#define UART0_DATA (*(volatile rt_uint32_t *)0x4000c000)

extern const struct shell_command commands_start[], commands_end[];

static void print_text(const char *text)
{
    while (*text != '\0') {
        UART0_DATA = (rt_uint8_t)*text++;
    }
}

static void print_number(int number)
{
    char text[12];
    char *end = text + sizeof text - 1;
    rt_uint32_t rest = number < 0 ? 0U - (rt_uint32_t)number : (rt_uint32_t)number;
    *end = '\0';
    do {
        *--end = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (number < 0) {
        *--end = '-';
    }
    print_text(end);
}

int rt_kprintf(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    for (; *format != '\0'; format++) {
        if (format[0] == '%' && format[1] == 'd') {
            print_number(va_arg(arguments, int));
            format++;
        } else {
            UART0_DATA = (rt_uint8_t)*format;
        }
    }
    va_end(arguments);
    return 0;
}

rt_tick_t rt_tick_get(void)
{
    static rt_tick_t tick;
    return tick += 5;
}

/* The semihosting call SYS_EXIT: the application has ended. */
static void switch_off(void)
{
    register rt_uint32_t operation __asm__("r0") = 0x18;
    register rt_uint32_t reason __asm__("r1") = 0x20026;
    __asm__ volatile("bkpt 0xab" : : "r"(operation), "r"(reason) : "memory");
}

int rtthread_startup(void)
{
    for (const struct shell_command *command = commands_start; command != commands_end; command++) {
        char *arguments[] = {(char *)command->name};
        print_text("msh >");
        print_text(command->name);
        print_text("\n");
        command->run(1, arguments);
    }
    switch_off();
    return 0;
}
