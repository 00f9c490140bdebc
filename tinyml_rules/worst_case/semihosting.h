/* The port of a test image: semihosting, a handle being the length of the file's name. */
#ifndef TINYML_SEMIHOSTING_H
#define TINYML_SEMIHOSTING_H

#include "accesses.h"

enum {
    SYS_OPEN = 1,
    SYS_CLOSE = 2,
    SYS_WRITE0 = 4,
    SYS_WRITE = 5,
    SYS_READ = 6,
    SYS_FLEN = 10,
    SYS_EXIT_EXTENDED = 0x20,
    OUTPUT_HANDLE = sizeof "output.bin" - 1,
};

static bits_t read_input(uint32_t to, uint32_t size) {
    uint32_t count = 0;
    for (; count < size && has_input(); count++) {
        store(known(to + count), next_input(), 1);
    }
    return known(size - count);
}

static void write_output(uint32_t handle, uint32_t from, uint32_t size) {
    for (uint32_t index = 0; handle == OUTPUT_HANDLE && index < size; index++) {
        put_output(load_known(from + index, 1).value);
    }
}

/* What the host answers to a call. */
static bits_t semihost(bits_t operation, bits_t block) {
    if ((operation.unknown | block.unknown) != 0) {
        refuse("calls the host in a way that depends on data");
    }
    const uint32_t arguments = block.value;
    switch (operation.value) {
    case SYS_OPEN:
        return load_known(arguments + 8, 4);
    case SYS_READ:
        return read_input(load_known(arguments + 4, 4).value, load_known(arguments + 8, 4).value);
    case SYS_WRITE:
        write_output(load_known(arguments, 4).value, load_known(arguments + 4, 4).value,
                     load_known(arguments + 8, 4).value);
        return known(0);
    case SYS_CLOSE:
    case SYS_WRITE0:
    case SYS_FLEN:
        return known(0);
    case SYS_EXIT_EXTENDED:
        finish("exit", load_known(arguments + 4, 4).value);
    default:
        refuse("calls the host for %#x", operation.value);
    }
}

#endif
