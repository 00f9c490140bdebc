/* An imitation of RT-Thread's finsh.h: commands lie in a section of their own. */
#ifndef FINSH_H
#define FINSH_H

struct shell_command {
    const char *name;
    const char *description;
    int (*run)(int argc, char **argv);
};

#define MSH_CMD_EXPORT(command, text)                                                     \
    __attribute__((section("shell_commands"), used))                                      \
    static const struct shell_command exported_##command = {#command, #text, command}

#endif
