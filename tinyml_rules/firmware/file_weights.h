/* Weights of test images in a file of the emulator's working directory: all of a family's weights_port.c
 * after the definitions of file_open, file_seek, file_read and emulator_print.
 */
#include "port.h"

#include <stdint.h>

void tinyml_read(uint32_t offset, void *buffer, uint16_t size);

void tinyml_read(uint32_t offset, void *buffer, uint16_t size) {
    static uint32_t handle;
    if (handle == 0) {
        handle = file_open("weights.bin", 11, FILE_READ);
    }
    if (file_seek(handle, offset) != 0 || file_read(handle, buffer, size) != 0) {
        emulator_print("read past the end of the weights\n");
        tinyml_port_exit(TINYML_EXIT_FAULT);
    }
}
