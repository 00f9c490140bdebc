/* Stands for the firmware's own tinyml_read() in an image that is only measured: flash and stack of a
 * driver are not counted.
 */
#include <stdint.h>

void tinyml_read(uint32_t offset, void *buffer, uint16_t size);

__attribute__((noinline)) void tinyml_read(uint32_t offset, void *buffer, uint16_t size) {
    (void)offset, (void)size;
    __asm__ volatile("" ::"r"(buffer) : "memory"); /* it may have written there */
}
