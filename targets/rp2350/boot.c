/* What the boot ROM looks for in the first 4 kB of flash: the smallest IMAGE_DEF (datasheet, 5.9.5.1), without
 * which it takes flash for empty.  It names no vectors: they are at the start of flash. */
#include <stdint.h>

__attribute__((section(".behind_vectors"), used)) static const uint32_t image_def[] = {
    0xffffded3u, /* a block begins */
    0x10210142u, /* one word, the type of the image: a program, secure, for Arm, for the RP2350 */
    0x000001ffu, /* the last item; one word came before */
    0,           /* the next block is this one */
    0xab123579u, /* a block ends */
};
