/* Files, messages and the end of the run by semihosting: calls of the debugger, or of an emulator in its
 * place.  A family defines `semihosting`, the instructions that make a call, and includes this.
 * Protocol: "Semihosting for AArch32 and AArch64", Arm; RISC-V has taken it over.
 */
#ifndef TINYML_SEMIHOSTING_CALLS_H
#define TINYML_SEMIHOSTING_CALLS_H

#include <stddef.h>
#include <stdint.h>

enum {
    SYS_OPEN = 0x01,
    SYS_WRITE0 = 0x04,
    SYS_WRITE = 0x05,
    SYS_READ = 0x06,
    SYS_SEEK = 0x0a,
    SYS_EXIT_EXTENDED = 0x20,
    FILE_READ = 1,
    FILE_WRITE = 5,
    APPLICATION_EXIT = 0x20026,
};

/* A handle, or UINT32_MAX.  `name_size` excludes the final zero. */
static inline uint32_t file_open(const char *name, uint32_t name_size, uint32_t mode) {
    const uint32_t arguments[] = {(uint32_t)name, mode, name_size};
    return semihosting(SYS_OPEN, arguments);
}

/* How many of `size` bytes were not read, or not written. */
static inline uint32_t file_read(uint32_t handle, void *buffer, size_t size) {
    const uint32_t arguments[] = {handle, (uint32_t)buffer, size};
    return semihosting(SYS_READ, arguments);
}

static inline uint32_t file_write(uint32_t handle, const void *buffer, size_t size) {
    const uint32_t arguments[] = {handle, (uint32_t)buffer, size};
    return semihosting(SYS_WRITE, arguments);
}

/* Zero if the file has that place. */
static inline uint32_t file_seek(uint32_t handle, uint32_t place) {
    const uint32_t arguments[] = {handle, place};
    return semihosting(SYS_SEEK, arguments);
}

static inline void emulator_print(const char *text) {
    semihosting(SYS_WRITE0, text);
}

static inline void emulator_exit(int status) {
    const uint32_t arguments[] = {APPLICATION_EXIT, (uint32_t)status};
    semihosting(SYS_EXIT_EXTENDED, arguments);
}

#endif
