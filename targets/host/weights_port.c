/* Weights of test images on the host: a file in the runner's working directory. */
#include "port.h"

#include <stdint.h>
#include <stdio.h>

void tinyml_read(uint32_t offset, void *buffer, uint16_t size);

void tinyml_read(uint32_t offset, void *buffer, uint16_t size) {
    static FILE *file;
    if (file == NULL) {
        file = fopen("weights.bin", "rb");
    }
    if (file == NULL || fseek(file, (long)offset, SEEK_SET) != 0
        || fread(buffer, 1, size, file) != size) {
        fprintf(stderr, "read past the end of the weights\n");
        tinyml_port_exit(TINYML_EXIT_FAULT);
    }
}
