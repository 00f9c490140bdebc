/* The functions that GCC may call without being told to.  The linker drops those that are not
 * called, and prefers a faster one of the same name from elsewhere.
 */
#include <stddef.h>
#include <stdint.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);

/* Without this attribute GCC may turn the loop into a call of the function that it is in. */
#define TINYML_LIBRARY __attribute__((weak, optimize("no-tree-loop-distribute-patterns")))

TINYML_LIBRARY void *memcpy(void *restrict to, const void *restrict from, size_t size) {
    unsigned char *out = to;
    const unsigned char *in = from;
    while (size-- != 0) {
        *out++ = *in++;
    }
    return to;
}

TINYML_LIBRARY void *memmove(void *to, const void *from, size_t size) {
    unsigned char *out = to;
    const unsigned char *in = from;
    if ((uintptr_t)out - (uintptr_t)in >= size) { /* not within what is read: from the first on */
        while (size-- != 0) {
            *out++ = *in++;
        }
    } else {
        while (size-- != 0) {
            out[size] = in[size];
        }
    }
    return to;
}

TINYML_LIBRARY void *memset(void *to, int value, size_t size) {
    unsigned char *out = to;
    while (size-- != 0) {
        *out++ = (unsigned char)value;
    }
    return to;
}
