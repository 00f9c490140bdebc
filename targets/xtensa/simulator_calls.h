/* Files, messages and the end of the run by Xtensa's simulator call, which an emulator answers.
 * Protocol: SIMCALL of Tensilica's instruction set simulator, as QEMU has it: the operation in a2, arguments
 * in a3 to a5, the result in a2.
 */
#ifndef TINYML_SIMULATOR_CALLS_H
#define TINYML_SIMULATOR_CALLS_H

#include <stddef.h>
#include <stdint.h>

enum {
    SYS_EXIT = 1,
    SYS_READ = 3,
    SYS_WRITE = 4,
    SYS_OPEN = 5,
    SYS_SEEK = 19,
    FILE_READ = 0,
    FILE_WRITE = 01101, /* create, empty, write only; as Linux counts */
    FILE_MODE = 0644,
    STANDARD_ERROR = 2,
    SEEK_SET = 0,
};

static inline uint32_t simulator_call(uint32_t operation, uint32_t a, uint32_t b, uint32_t c) {
    register uint32_t a2 __asm__("a2") = operation;
    register uint32_t a3 __asm__("a3") = a;
    register uint32_t a4 __asm__("a4") = b;
    register uint32_t a5 __asm__("a5") = c;
    __asm__ volatile("simcall" : "+r"(a2), "+r"(a3) : "r"(a4), "r"(a5) : "memory");
    return a2;
}

/* A handle, or UINT32_MAX.  The name ends with a zero. */
static inline uint32_t file_open(const char *name, uint32_t name_size, uint32_t mode) {
    (void)name_size;
    return simulator_call(SYS_OPEN, (uint32_t)name, mode, FILE_MODE);
}

/* How many of `size` bytes were not read, or not written. */
static inline uint32_t file_read(uint32_t handle, void *buffer, size_t size) {
    const uint32_t count = simulator_call(SYS_READ, handle, (uint32_t)buffer, size);
    return count == UINT32_MAX ? size : size - count;
}

static inline uint32_t file_write(uint32_t handle, const void *buffer, size_t size) {
    const uint32_t count = simulator_call(SYS_WRITE, handle, (uint32_t)buffer, size);
    return count == UINT32_MAX ? size : size - count;
}

/* Zero if the file has that place. */
static inline uint32_t file_seek(uint32_t handle, uint32_t place) {
    return simulator_call(SYS_SEEK, handle, place, SEEK_SET) ^ place;
}

static inline void emulator_print(const char *text) {
    size_t size = 0;
    while (text[size] != 0) {
        size++;
    }
    simulator_call(SYS_WRITE, STANDARD_ERROR, (uint32_t)text, size);
}

static inline void emulator_exit(int status) {
    simulator_call(SYS_EXIT, (uint32_t)status, 0, 0);
}

#endif
