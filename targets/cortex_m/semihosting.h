/* Calls of the debugger, or of an emulator in its place.
 * Protocol: "Semihosting for AArch32 and AArch64", Arm.
 */
#ifndef TINYML_SEMIHOSTING_H
#define TINYML_SEMIHOSTING_H

#include <stdint.h>

enum {
    SYS_OPEN = 0x01,
    SYS_WRITE0 = 0x04,
    SYS_WRITE = 0x05,
    SYS_READ = 0x06,
    SYS_SEEK = 0x0a,
    SYS_EXIT_EXTENDED = 0x20,
    OPEN_READ_BINARY = 1,
    OPEN_WRITE_BINARY = 5,
    APPLICATION_EXIT = 0x20026,
};

static inline uint32_t semihosting(uint32_t operation, const void *arguments) {
    register uint32_t r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = arguments;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

#endif
