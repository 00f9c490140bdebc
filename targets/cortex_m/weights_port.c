/* Weights of test images on Cortex-M: a file in the runner's working directory, by semihosting. */
#include "port.h"
#include "semihosting.h"

#include <stdint.h>

void tinyml_read(uint32_t offset, void *buffer, uint16_t size);

void tinyml_read(uint32_t offset, void *buffer, uint16_t size) {
    static uint32_t handle;
    if (handle == 0) {
        const uint32_t arguments[] = {(uint32_t)"weights.bin", OPEN_READ_BINARY, 11};
        handle = semihosting(SYS_OPEN, arguments);
    }
    const uint32_t place[] = {handle, offset};
    const uint32_t bytes[] = {handle, (uint32_t)buffer, size};
    if (semihosting(SYS_SEEK, place) != 0 || semihosting(SYS_READ, bytes) != 0) {
        semihosting(SYS_WRITE0, "read past the end of the weights\n");
        tinyml_port_exit(TINYML_EXIT_FAULT);
    }
}
