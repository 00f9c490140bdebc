/* digits: a model compiled by tinyml_rules for atmega328.  Generated; do not edit.
 * Model file: SHA-256 4cb44915dd1236de15f9bd3878e8345cb232dad4373672a227f4f37fa29c0a65
 */
#include "digits.h"

#if !(defined __FLASH && !defined __STRICT_ANSI__ && defined __AVR_HAVE_MUL__)
#error "digits.c was compiled for atmega328, an AVR with a multiplier, and GCC's own dialects (-std=gnu11): compile the model for your own part (TINYML_TARGET, --target)"
#else

/* acc plus the sum of weights[i] * input[i] for count >= 0; 11.4 cycles a product by eights, 3 more for
 * those left over, 45 for the call.  MULS leaves the product's sign in the carry flag, from where
 * SBC spreads it over an upper byte.  One such byte (`top`) above the lower half of acc is enough for
 * 256 products, of at most 2^14 each; then it is added to the upper half. */
#if !defined __OPTIMIZE__ && !defined __clang__
__attribute__((optimize("O1"))) /* or there are not enough registers */
#endif
static __attribute__((noinline)) int32_t digits_dot_product(int32_t acc,
    const int8_t __flash *weights, const int8_t *input, int count)
{
    int8_t weight;
    int8_t value;
    int8_t top;
    uint8_t rounds;

    __asm__("clr %[top]\n\t"
            "mov %[rounds], %A[count]\n\t" /* what is left over by eights */
            "andi %[rounds], 7\n\t"
            "breq 2f\n"
            "1:\n\t"
            "lpm %[weight], Z+\n\t"
            "ld %[value], X+\n\t"
            "muls %[weight], %[value]\n\t"
            "sbc %[weight], %[weight]\n\t"
            "add %A[acc], r0\n\t"
            "adc %B[acc], r1\n\t"
            "adc %[top], %[weight]\n\t"
            "dec %[rounds]\n\t"
            "brne 1b\n"
            "2: mov %[rounds], %A[count]\n\t" /* the eights of count % 256 */
            "lsr %[rounds]\n\t"
            "lsr %[rounds]\n\t"
            "lsr %[rounds]\n\t"
            "breq 4f\n"
            "3:\n\t"
            ".rept 8\n\t"
            "lpm %[weight], Z+\n\t"
            "ld %[value], X+\n\t"
            "muls %[weight], %[value]\n\t"
            "sbc %[weight], %[weight]\n\t"
            "add %A[acc], r0\n\t"
            "adc %B[acc], r1\n\t"
            "adc %[top], %[weight]\n\t"
            ".endr\n\t"
            "dec %[rounds]\n\t"
            "brne 3b\n"
            "4: mov %[value], %[top]\n\t" /* the sign */
            "lsl %[value]\n\t"
            "sbc %[value], %[value]\n\t"
            "add %C[acc], %[top]\n\t"
            "adc %D[acc], %[value]\n\t"
            "clr %[top]\n\t"
            "ldi %[rounds], 32\n\t" /* 256 at a time, count / 256 times */
            "dec %B[count]\n\t"
            "brmi 5f\n\t"
            "rjmp 3b\n" /* too far for a branch */
            "5: clr r1" /* the compiler counts on r1 being 0 */
            : [acc] "+r"(acc), [weights] "+z"(weights), [input] "+x"(input),
              [count] "+r"(count), [weight] "=&d"(weight), [value] "=&d"(value), [top] "=&r"(top),
              [rounds] "=&d"(rounds)
            :
            : "r0", "memory");
    return acc;
}

/* Copies rows of a window as numbers + 128, every `step` bytes: cells `before` the image, those `inside`, from `offset`
 * on in each of the rows, and those `after` it.  Returns their sum.  9 cycles a cell inside, 30 a row.  No data lies in
 * the first 256 bytes of the address space, so that the upper byte of an address tells a null pointer. */
#if !defined __OPTIMIZE__ && !defined __clang__
__attribute__((optimize("O1"))) /* or there are not enough registers */
#endif
static __attribute__((noinline, unused)) uint16_t digits_widen_rows(uint8_t *to, const int8_t *const *rows, int offset,
    uint8_t height, uint8_t before, uint8_t inside, uint8_t after, uint8_t step, uint8_t outside)
{
    uint16_t sum = 0;
    uint16_t next;
    uint16_t row;
    uint8_t value;
    uint8_t left;
    __asm__ __volatile__("1: ld %A[row], X+\n\t"
            "ld %B[row], X+\n\t"
            "movw %[next], %[rows]\n\t"
            "mov %[left], %[before]\n\t"
            "cpse %B[row], __zero_reg__\n\t"
            "rjmp 2f\n\t"
            "add %[left], %[inside]\n"
            "2:\n\t"
            "tst %[left]\n\t"
            "breq 4f\n"
            "3: st Z, %[outside]\n\t"
            "add %A[to], %[step]\n\t"
            "adc %B[to], __zero_reg__\n\t"
            "add %A[sum], %[outside]\n\t"
            "adc %B[sum], __zero_reg__\n\t"
            "dec %[left]\n\t"
            "brne 3b\n"
            "4:\n\t"

            "tst %B[row]\n\t"
            "breq 7f\n\t"
            "movw %[rows], %[row]\n\t"
            "add %A[rows], %A[offset]\n\t"
            "adc %B[rows], %B[offset]\n\t"
            "mov %[left], %[inside]\n\t"
            "lsr %[left]\n\t"
            "lsr %[left]\n\t"
            "breq 6f\n"
            "5:\n\t"
            ".rept 4\n\t"
            "ld %[value], X+\n\t"
            "subi %[value], 0x80\n\t"
            "st Z, %[value]\n\t"
            "add %A[to], %[step]\n\t"
            "adc %B[to], __zero_reg__\n\t"
            "add %A[sum], %[value]\n\t"
            "adc %B[sum], __zero_reg__\n\t"

            ".endr\n\t"
            "dec %[left]\n\t"
            "brne 5b\n"
            "6: mov %[left], %[inside]\n\t"
            "andi %[left], 3\n\t"
            "breq 7f\n"
            "6:\n\t"
            "ld %[value], X+\n\t"
            "subi %[value], 0x80\n\t"
            "st Z, %[value]\n\t"
            "add %A[to], %[step]\n\t"
            "adc %B[to], __zero_reg__\n\t"
            "add %A[sum], %[value]\n\t"
            "adc %B[sum], __zero_reg__\n\t"

            "dec %[left]\n\t"
            "brne 6b\n"
            "7: mov %[left], %[after]\n\t"
            "tst %[left]\n\t"
            "breq 9f\n"
            "8: st Z, %[outside]\n\t"
            "add %A[to], %[step]\n\t"
            "adc %B[to], __zero_reg__\n\t"
            "add %A[sum], %[outside]\n\t"
            "adc %B[sum], __zero_reg__\n\t"
            "dec %[left]\n\t"
            "brne 8b\n"
            "9:\n\t"

            "movw %[rows], %[next]\n\t"
            "dec %[height]\n\t"
            "breq .+2\n\t"
            "rjmp 1b"
            : [to] "+z"(to), [rows] "+x"(rows), [height] "+r"(height), [sum] "+r"(sum), [next] "=&r"(next),
              [row] "=&r"(row), [value] "=&d"(value), [left] "=&d"(left)
            : [offset] "r"(offset), [before] "r"(before), [inside] "r"(inside), [after] "r"(after), [step] "r"(step),
              [outside] "r"(outside)
            : "memory");
    return sum;
}

/* Up to three pixels: their values + 128 in turn, an even number of each, and what the weights' + 128 adds to a sum.
 * `limit` is how far the upper clamp is above the zero point (AVR leaves no gaps). */
struct digits_pixels {
    const uint8_t *values;
    uint8_t twos;
    uint8_t channels; /* left */
    uint8_t of_weights[3][3];
    int8_t *output;
    uint8_t step;
    int8_t zero_point;
    uint8_t limit;
    uint8_t count;
    uint8_t kept[6];
};

/* Notes of a pixel what 128 times the `sum` of its values is. */
static __attribute__((noinline)) void digits_of_weights(struct digits_pixels *of, uint8_t pixel, uint16_t sum)
{
    uint8_t *bytes = of->of_weights[pixel];
    bytes[0] = (uint8_t)(sum << 7);
    bytes[1] = (uint8_t)(sum >> 1);
    bytes[2] = (uint8_t)(sum >> 9);
}

/* All channels of up to three pixels.  A record is that of two channels: biases of 24 bits, weights + 128 in turn,
 * then five bytes of a multiplier, what rounds, and whether the shift is long, of each.  Nothing is below zero, so
 * that a product takes MUL, ADD, ADC and ADC: with loads and loop 7.2 cycles for three pixels, 7.9 for two, 9.8 for
 * one. */
#if !defined __OPTIMIZE__ && !defined __clang__
__attribute__((optimize("O1"))) /* or there are not enough registers */
#endif
static __attribute__((noinline, unused)) void digits_channel_pairs(const uint8_t __flash *records, struct digits_pixels *of)
{
    __asm__ __volatile__("movw r28, r26\n\t"
            "clr r15\n"
            "1:\n\t"
            "lpm r2, Z+\n\t"
            "lpm r3, Z+\n\t"
            "lpm r10, Z+\n\t"
            "lpm r8, Z+\n\t"
            "lpm r9, Z+\n\t"
            "lpm r13, Z+\n\t"
            "ldd r26, Y+0\n\t"
            "ldd r27, Y+1\n\t"
            "ldd r14, Y+2\n\t"
            "ldd r16, Y+18\n\t"
            "cpi r16, 2\n\t"
            "brsh .+2\n\t"
            "rjmp 5f\n\t"
            "breq .+2\n\t"
            "rjmp 2f\n\t"
            "movw r4, r2\n\t"
            "mov r11, r10\n\t"

            "movw r6, r8\n\t"
            "mov r12, r13\n\t"

            "ldd r16, Y+4\n\t"
            "ldd r17, Y+5\n\t"
            "ldd r18, Y+6\n\t"
            "sub r2, r16\n\t"
            "sbc r3, r17\n\t"
            "sbc r10, r18\n\t"
            "sub r6, r16\n\t"
            "sbc r7, r17\n\t"
            "sbc r12, r18\n\t"
            "ldd r16, Y+7\n\t"
            "ldd r17, Y+8\n\t"
            "ldd r18, Y+9\n\t"
            "sub r4, r16\n\t"
            "sbc r5, r17\n\t"
            "sbc r11, r18\n\t"
            "sub r8, r16\n\t"
            "sbc r9, r17\n\t"
            "sbc r13, r18\n\t"

            "4:\n\t"
            ".rept 2\n\t"
            "ld r16, X+\n\t"
            "ld r17, X+\n\t"
            "lpm r19, Z+\n\t"
            "mul r16, r19\n\t"
            "add r2, r0\n\t"
            "adc r3, r1\n\t"
            "adc r10, r15\n\t"

            "mul r17, r19\n\t"
            "add r4, r0\n\t"
            "adc r5, r1\n\t"
            "adc r11, r15\n\t"

            "lpm r19, Z+\n\t"
            "mul r16, r19\n\t"
            "add r6, r0\n\t"
            "adc r7, r1\n\t"
            "adc r12, r15\n\t"

            "mul r17, r19\n\t"
            "add r8, r0\n\t"
            "adc r9, r1\n\t"
            "adc r13, r15\n\t"


            ".endr\n\t"
            "dec r14\n\t"
            "brne 4b\n\t"
            "rjmp 7f\n"
            "2:\n\t"
            "movw r4, r2\n\t"
            "mov r11, r10\n\t"

            "movw r6, r2\n\t"
            "mov r12, r10\n\t"

            "movw r20, r8\n\t"
            "mov r24, r13\n\t"

            "movw r22, r8\n\t"
            "mov r25, r13\n\t"

            "ldd r16, Y+4\n\t"
            "ldd r17, Y+5\n\t"
            "ldd r18, Y+6\n\t"
            "sub r2, r16\n\t"
            "sbc r3, r17\n\t"
            "sbc r10, r18\n\t"
            "sub r8, r16\n\t"
            "sbc r9, r17\n\t"
            "sbc r13, r18\n\t"
            "ldd r16, Y+7\n\t"
            "ldd r17, Y+8\n\t"
            "ldd r18, Y+9\n\t"
            "sub r4, r16\n\t"
            "sbc r5, r17\n\t"
            "sbc r11, r18\n\t"
            "sub r20, r16\n\t"
            "sbc r21, r17\n\t"
            "sbc r24, r18\n\t"
            "ldd r16, Y+10\n\t"
            "ldd r17, Y+11\n\t"
            "ldd r18, Y+12\n\t"
            "sub r6, r16\n\t"
            "sbc r7, r17\n\t"
            "sbc r12, r18\n\t"
            "sub r22, r16\n\t"
            "sbc r23, r17\n\t"
            "sbc r25, r18\n\t"

            "bst r14, 0\n\t" /* an odd number begins in the middle */
            "inc r14\n\t"
            "lsr r14\n\t"
            "brts 3f\n"
            "2:\n\t"
            ".rept 2\n\t"
            "ld r16, X+\n\t"
            "ld r17, X+\n\t"
            "ld r18, X+\n\t"
            "lpm r19, Z+\n\t"
            "mul r16, r19\n\t"
            "add r2, r0\n\t"
            "adc r3, r1\n\t"
            "adc r10, r15\n\t"

            "mul r17, r19\n\t"
            "add r4, r0\n\t"
            "adc r5, r1\n\t"
            "adc r11, r15\n\t"

            "mul r18, r19\n\t"
            "add r6, r0\n\t"
            "adc r7, r1\n\t"
            "adc r12, r15\n\t"

            "lpm r19, Z+\n\t"
            "mul r16, r19\n\t"
            "add r8, r0\n\t"
            "adc r9, r1\n\t"
            "adc r13, r15\n\t"

            "mul r17, r19\n\t"
            "add r20, r0\n\t"
            "adc r21, r1\n\t"
            "adc r24, r15\n\t"

            "mul r18, r19\n\t"
            "add r22, r0\n\t"
            "adc r23, r1\n\t"
            "adc r25, r15\n\t"


            ".endr\n"
            "3:\n\t"
            ".rept 2\n\t"
            "ld r16, X+\n\t"
            "ld r17, X+\n\t"
            "ld r18, X+\n\t"
            "lpm r19, Z+\n\t"
            "mul r16, r19\n\t"
            "add r2, r0\n\t"
            "adc r3, r1\n\t"
            "adc r10, r15\n\t"

            "mul r17, r19\n\t"
            "add r4, r0\n\t"
            "adc r5, r1\n\t"
            "adc r11, r15\n\t"

            "mul r18, r19\n\t"
            "add r6, r0\n\t"
            "adc r7, r1\n\t"
            "adc r12, r15\n\t"

            "lpm r19, Z+\n\t"
            "mul r16, r19\n\t"
            "add r8, r0\n\t"
            "adc r9, r1\n\t"
            "adc r13, r15\n\t"

            "mul r17, r19\n\t"
            "add r20, r0\n\t"
            "adc r21, r1\n\t"
            "adc r24, r15\n\t"

            "mul r18, r19\n\t"
            "add r22, r0\n\t"
            "adc r23, r1\n\t"
            "adc r25, r15\n\t"


            ".endr\n\t"
            "dec r14\n\t"
            "breq .+2\n\t"
            "rjmp 2b\n\t"
            "std Y+19, r20\n\t"
            "std Y+20, r21\n\t"
            "std Y+21, r24\n\t"
            "std Y+22, r22\n\t"
            "std Y+23, r23\n\t"
            "std Y+24, r25\n\t"
            "rjmp 7f\n"
            "5:\n\t"
            "movw r4, r8\n\t"
            "mov r11, r13\n\t"

            "ldd r16, Y+4\n\t"
            "ldd r17, Y+5\n\t"
            "ldd r18, Y+6\n\t"
            "sub r2, r16\n\t"
            "sbc r3, r17\n\t"
            "sbc r10, r18\n\t"
            "sub r4, r16\n\t"
            "sbc r5, r17\n\t"
            "sbc r11, r18\n\t"

            "6:\n\t"
            ".rept 2\n\t"
            "ld r16, X+\n\t"
            "lpm r19, Z+\n\t"
            "mul r16, r19\n\t"
            "add r2, r0\n\t"
            "adc r3, r1\n\t"
            "adc r10, r15\n\t"

            "lpm r19, Z+\n\t"
            "mul r16, r19\n\t"
            "add r4, r0\n\t"
            "adc r5, r1\n\t"
            "adc r11, r15\n\t"


            ".endr\n\t"
            "dec r14\n\t"
            "brne 6b\n"
            "7: ldi r25, 2\n"
            "8:\n\t"
            "lpm r18, Z+\n\t"
            "lpm r19, Z+\n\t"
            "lpm r20, Z+\n\t"
            "lpm r21, Z+\n\t"
            "lpm r22, Z+\n\t"
            "lpm r23, Z+\n\t"
            "lpm r24, Z+\n\t"
            "bst r24, 0\n\t"
            "ldd r14, Y+18\n"
            "9:\n\t"
            "sbrc r10, 7\n\t"
            "rjmp 91f\n\t"
            "mul r2, r18\n\t"
            "mov r16, r1\n\t"
            "clr r17\n\t"
            "clr r24\n\t"
            "mul r2, r19\n\t"
            "add r16, r0\n\t"
            "adc r17, r1\n\t"
            "adc r24, r15\n\t"

            "mul r3, r18\n\t"
            "add r16, r0\n\t"
            "adc r17, r1\n\t"
            "adc r24, r15\n\t"

            "clr r16\n\t"
            "mul r2, r20\n\t"
            "add r17, r0\n\t"
            "adc r24, r1\n\t"
            "adc r16, r15\n\t"

            "mul r3, r19\n\t"
            "add r17, r0\n\t"
            "adc r24, r1\n\t"
            "adc r16, r15\n\t"

            "brts 92f\n\t"
            "cpse r10, r15\n\t" /* 17 bits are beyond int8 */
            "rjmp 94f\n\t"
            "clr r17\n\t"
            "mul r2, r21\n\t"
            "add r24, r0\n\t"
            "adc r16, r1\n\t"
            "adc r17, r15\n\t"

            "mul r3, r20\n\t"
            "add r24, r0\n\t"
            "adc r16, r1\n\t"
            "adc r17, r15\n\t"

            "clr r24\n\t"
            "mul r2, r22\n\t"
            "add r16, r0\n\t"
            "adc r17, r1\n\t"
            "adc r24, r15\n\t"

            "mul r3, r21\n\t"
            "add r16, r0\n\t"
            "adc r17, r1\n\t"
            "adc r24, r15\n\t"

            "add r16, r23\n\t"
            "adc r17, r15\n\t"
            "adc r24, r15\n\t"
            "mul r3, r22\n\t"
            "add r17, r0\n\t"
            "adc r24, r1\n\t"
            "rjmp 93f\n"
            "92:\n\t"
            "mul r10, r18\n\t"
            "add r17, r0\n\t"
            "adc r24, r1\n\t"
            "adc r16, r15\n\t"

            "clr r17\n\t"
            "mul r2, r21\n\t"
            "add r24, r0\n\t"
            "adc r16, r1\n\t"
            "adc r17, r15\n\t"

            "mul r3, r20\n\t"
            "add r24, r0\n\t"
            "adc r16, r1\n\t"
            "adc r17, r15\n\t"

            "mul r10, r19\n\t"
            "add r24, r0\n\t"
            "adc r16, r1\n\t"
            "adc r17, r15\n\t"

            "clr r24\n\t"
            "mul r2, r22\n\t"
            "add r16, r0\n\t"
            "adc r17, r1\n\t"
            "adc r24, r15\n\t"

            "mul r3, r21\n\t"
            "add r16, r0\n\t"
            "adc r17, r1\n\t"
            "adc r24, r15\n\t"

            "mul r10, r20\n\t"
            "add r16, r0\n\t"
            "adc r17, r1\n\t"
            "adc r24, r15\n\t"

            "add r16, r23\n\t"
            "adc r17, r15\n\t"
            "adc r24, r15\n\t"
            "clr r16\n\t"
            "subi r17, 0x80\n\t" /* half a unit: where the byte was 128 or more, it goes beyond it */
            "sbci r24, 0xff\n\t"
            "sbci r16, 0xff\n\t"
            "mul r3, r22\n\t"
            "add r17, r0\n\t"
            "adc r24, r1\n\t"
            "adc r16, r15\n\t"

            "mul r10, r21\n\t"
            "add r17, r0\n\t"
            "adc r24, r1\n\t"
            "adc r16, r15\n\t"

            "mul r10, r22\n\t"
            "add r24, r0\n\t"
            "adc r16, r1\n\t"
            "mov r17, r24\n\t"
            "mov r24, r16\n"
            "93: cpse r24, r15\n"
            "94: ldi r17, 255\n\t"
            "ldd r16, Y+17\n\t"
            "cp r16, r17\n\t"
            "brlo 95f\n\t"
            "mov r16, r17\n"
            "95: ldd r17, Y+16\n\t"
            "add r16, r17\n\t"
            "rjmp 96f\n"
            "91: ldd r16, Y+16\n"
            "96:\n\t"
            "movw r2, r4\n\t" /* the next sum; results come behind the last */
            "movw r4, r6\n\t"
            "movw r6, r8\n\t"
            "mov r10, r11\n\t"
            "mov r11, r12\n\t"
            "mov r12, r13\n\t"
            "mov r13, r16\n\t"
            "dec r14\n\t"
            "breq .+2\n\t"
            "rjmp 9b\n\t"
            "ldd r26, Y+13\n\t"
            "ldd r27, Y+14\n\t"
            "adiw r26, 1\n\t"
            "std Y+13, r26\n\t"
            "std Y+14, r27\n\t"
            "sbiw r26, 1\n\t"
            "ldd r17, Y+15\n\t"
            "ldd r16, Y+18\n\t"
            "cpi r16, 2\n\t"
            "brlo 3f\n\t"
            "breq 2f\n\t"
            "st X, r11\n\t"
            "add r26, r17\n\t"
            "adc r27, r15\n"
            "2: st X, r12\n\t"
            "add r26, r17\n\t"
            "adc r27, r15\n"
            "3: st X, r13\n\t"
            "ldd r17, Y+3\n\t"
            "dec r17\n\t"
            "std Y+3, r17\n\t"
            "breq 4f\n\t"
            "dec r25\n\t"
            "brne .+2\n\t"
            "rjmp 1b\n\t"
            "cpi r16, 3\n\t"
            "brne 2f\n\t"
            "ldd r4, Y+19\n\t"
            "ldd r5, Y+20\n\t"
            "ldd r11, Y+21\n\t"
            "ldd r6, Y+22\n\t"
            "ldd r7, Y+23\n\t"
            "ldd r12, Y+24\n\t"
            "2: rjmp 8b\n"
            "4: clr r1" /* the compiler counts on r1 being 0 */
            : "+z"(records), "+x"(of)
            :
            : "r0", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "r16", "r17", "r18", "r19", "r20", "r21", "r22", "r23", "r24", "r25", "r28", "r29", "memory");
}

/* The int8 result of a sum below 2^23.  `multiplier` is twice TFLM's, as an unsigned number.  An even `factor` is
 * for shifts of 2 to 7, where 17 bits hold all that does not saturate, and an odd one for those of 8 to 15.
 *
 * The upper part of acc * multiplier + 2^31 comes from the products of their bytes, as if the sum had no sign.
 * Byte k of it is in register k % 4; one that has done all it can do, which is to carry, makes room for another.
 * Below zero the multiplier is taken off, and 1, so that ties are rounded away from zero.  The shift to the right
 * is a product whose lowest byte is left over, and the highest bit of that is what is rounded. */
#if !defined __OPTIMIZE__ && !defined __clang__
__attribute__((optimize("O1"))) /* or there are not enough registers */
#endif
static __attribute__((noinline)) int8_t digits_requantize_once(int32_t acc, int32_t multiplier, int8_t factor,
    int8_t zero_point, int8_t clamp_min, int8_t clamp_max)
{
    uint16_t low; /* two halves, because X and Z are what arguments and result leave free */
    uint16_t high;

    if (acc < 0 && clamp_min >= zero_point) {
        return clamp_min;
    }
    __asm__("mov %B[high], %D[a]\n\t"
            "sbrc %[factor], 0\n\t"
            "rjmp 1f\n\t"
            "cpse %C[a], %D[a]\n\t"
            "rjmp 7f\n"
            "1: clr %A[low]\n\t"
            "clr %A[high]\n\t"
            "ldi %B[high], 0x80\n\t" /* 2^31 */
            "mul %A[a], %A[b]\n\t"
            "mov %B[low], r1\n\t"
            "mul %A[a], %B[b]\n\t"
            "add %B[low], r0\n\t"
            "adc %A[high], r1\n\t"

            "mul %B[a], %A[b]\n\t"
            "add %B[low], r0\n\t"
            "adc %A[high], r1\n\t"
            "adc %B[high], %A[low]\n\t"

            "clr %B[low]\n\t"
            "mul %A[a], %C[b]\n\t"
            "add %A[high], r0\n\t"
            "adc %B[high], r1\n\t"
            "adc %A[low], %B[low]\n\t"

            "mul %B[a], %B[b]\n\t"
            "add %A[high], r0\n\t"
            "adc %B[high], r1\n\t"
            "adc %A[low], %B[low]\n\t"

            "mul %A[a], %D[b]\n\t"
            "clr %A[a]\n\t" /* a zero from here on */
            "add %B[high], r0\n\t"
            "adc %A[low], r1\n\t"
            "adc %B[low], %A[a]\n\t"
            "mul %B[a], %C[b]\n\t"
            "add %B[high], r0\n\t"
            "adc %A[low], r1\n\t"
            "adc %B[low], %A[a]\n\t"

            "mul %B[a], %D[b]\n\t"
            "add %A[low], r0\n\t"
            "adc %B[low], r1\n\t"

            "sbrc %[factor], 0\n\t"
            "rjmp 2f\n\t"
            "sbrs %D[a], 7\n\t"
            "rjmp 4f\n\t"
            "sub %A[high], %A[b]\n\t"
            "sbc %B[high], %B[b]\n\t"
            "sbc %A[low], %C[b]\n\t"
            "sbc %B[low], %D[b]\n\t"
            "brcs 9f\n\t"
            "clr %D[a]\n\t" /* what is left is not below zero */
            "rjmp 4f\n"
            "9: sbiw %[low], 1\n\t"
            "brcc 4f\n\t"
            "mov %B[high], %D[a]\n\t"
            "rjmp 7f\n"
            "2:\n\t"
            "mul %C[a], %A[b]\n\t"
            "add %A[high], r0\n\t"
            "adc %B[high], r1\n\t"
            "adc %A[low], %A[a]\n\t"
            "adc %B[low], %A[a]\n\t"

            "clr %A[high]\n\t"
            "rol %A[high]\n\t"
            "mul %C[a], %B[b]\n\t"
            "add %B[high], r0\n\t"
            "adc %A[low], r1\n\t"
            "adc %B[low], %A[a]\n\t"
            "adc %A[high], %A[a]\n\t"

            "mul %C[a], %C[b]\n\t"
            "add %A[low], r0\n\t"
            "adc %B[low], r1\n\t"
            "adc %A[high], %A[a]\n\t"

            "mul %C[a], %D[b]\n\t"
            "add %B[low], r0\n\t"
            "adc %A[high], r1\n\t"

            "sbrs %D[a], 7\n\t"
            "rjmp 3f\n\t"
            "sub %B[high], %A[b]\n\t"
            "sbc %A[low], %B[b]\n\t"
            "sbc %B[low], %C[b]\n\t"
            "sbc %A[high], %D[b]\n\t"
            "sbc %D[a], %D[a]\n\t"
            "add %A[low], %D[a]\n\t"
            "adc %B[low], %D[a]\n\t"
            "adc %A[high], %D[a]\n"
            "3: dec %[factor]\n\t"
            "breq 5f\n\t"
            "mov %A[low], %B[low]\n\t"
            "mov %B[low], %A[high]\n"
            "4: mul %A[low], %[factor]\n\t"
            "lsl r0\n\t"
            "adc r1, %A[a]\n\t"
            "mov %A[high], r1\n\t"
            "mul %B[low], %[factor]\n\t"
            "add %A[high], r0\n\t"
            "adc r1, %A[a]\n\t"
            "sbrc %D[a], 7\n\t"
            "sub r1, %[factor]\n\t"
            "mov %B[high], r1\n\t"
            "rjmp 6f\n"
            "5: lsl %A[low]\n\t" /* by 8 */
            "adc %B[low], %A[a]\n\t"
            "adc %A[high], %A[a]\n\t"
            "mov %B[high], %A[high]\n\t"
            "mov %A[high], %B[low]\n"
            "6: mov %D[a], %[zero_point]\n\t"
            "lsl %D[a]\n\t"
            "sbc %D[a], %D[a]\n\t"
            "add %A[high], %[zero_point]\n\t"
            "adc %B[high], %D[a]\n\t"
            "mov %D[a], %A[high]\n\t" /* is it int8, its upper byte only its sign? */
            "lsl %D[a]\n\t"
            "sbc %D[a], %D[a]\n\t"
            "cp %B[high], %D[a]\n\t"
            "breq 8f\n"
            "7: ldi %A[high], 127\n\t"
            "sbrc %B[high], 7\n\t"
            "ldi %A[high], -128\n"
            "8: clr r1" /* the compiler counts on r1 being 0 */
            : [a] "+r"(acc), [factor] "+r"(factor), [low] "=&x"(low), [high] "=&z"(high)
            : [b] "r"(multiplier), [zero_point] "r"(zero_point)
            : "r0");
    const int8_t result = (int8_t)high;
    (void)clamp_max;
    return result;
}

/* The input rows behind output row y are top, top + dilation, ... with top = y * stride - pad_top. */
struct digits_window {
    int batches;
    int input_rows;
    int output_rows;
    int height;
    int stride;
    int dilation;
    int pad_top;
    int input_row_bytes;
    int output_row_bytes;
};

/* Points rows[i] at the input rows behind output row y, 0 for one outside the image.  Input row r
 * lies in slot r % capacity. */
static void digits_gather_rows(const struct digits_window __flash *window,
    const int8_t *input, int capacity, int y, const int8_t **rows)
{
    int row = y * window->stride - window->pad_top;
    int slot = row % capacity;

    if (slot < 0) {
        slot += capacity;
    }
    for (int i = 0; i < window->height; i++) {
        const int is_inside = row >= 0 && row < window->input_rows;
        rows[i] = is_inside ? input + slot * window->input_row_bytes : 0;
        row += window->dilation;
        slot += window->dilation;
        while (slot >= capacity) {
            slot -= capacity;
        }
    }
}

/* How many input rows have to be there before output row y can be made. */
static int digits_rows_needed(const struct digits_window __flash *window, int y)
{
    const int bottom
        = y * window->stride - window->pad_top + (window->height - 1) * window->dilation + 1;
    return bottom < window->input_rows ? bottom : window->input_rows;
}

/* CONV_2D for 8-bit AVR, up to three pixels of an output row at a time.  The input values behind an output pixel are copied
 * side by side, so that each of its channels is one run of products.  A cell outside the image holds the zero point,
 * because the bias takes the zero point off the whole window. */
struct digits_conv_2d_unsigned_patch_params {
    const uint8_t __flash *weights;
    int input_channels;
    int output_channels;
    int8_t output_zero_point;
    uint8_t twos;
    uint8_t limit;
    int input_width;
    int output_width;
    int window_width;
    int stride;
    int pad_left;
    int8_t input_zero_point;
    struct digits_window window;
};

/* Copies what the pixel sees whose window begins in column `left`, every `step` bytes; returns the sum. */
static __attribute__((noinline)) uint16_t digits_conv_2d_unsigned_patch_gather(const struct digits_conv_2d_unsigned_patch_params __flash *params,
    const int8_t *const *rows, int left, uint8_t *to, uint8_t step)
{
    const uint8_t channels = (uint8_t)params->input_channels;
    const int after = left + params->window_width - params->input_width;
    uint8_t inside = (uint8_t)params->window_width;
    uint8_t before_cells = 0;
    uint8_t after_cells = 0;
    if (after > 0) {
        inside = (uint8_t)(inside - after);
        after_cells = (uint8_t)((uint8_t)after * channels);
    }
    if (left < 0) {
        inside = (uint8_t)(inside + left);
        before_cells = (uint8_t)((uint8_t)-left * channels);
        left = 0;
    }
    return digits_widen_rows(to, rows, left * channels, (uint8_t)params->window.height, before_cells,
        (uint8_t)(inside * channels), after_cells, step, (uint8_t)(params->input_zero_point + 128));
}

static void digits_conv_2d_unsigned_patch_row(const struct digits_conv_2d_unsigned_patch_params __flash *params,
    const int8_t *const *rows, int8_t *output)
{
    struct digits_pixels of;
    uint8_t values[3 * 73];
    of.values = values;
    of.twos = params->twos;
    of.step = (uint8_t)params->output_channels;
    of.zero_point = params->output_zero_point;
    of.limit = params->limit;
    of.output = output;
    int left = -params->pad_left;

    for (int rest = params->output_width; rest > 0; rest -= of.count) {
        of.count = rest > 4 || rest == 3 ? 3 : rest == 1 ? 1 : 2; /* four are twice two */
        of.channels = of.step;
        for (uint8_t i = 0; i < of.count; i++) {
            digits_of_weights(&of, i, digits_conv_2d_unsigned_patch_gather(params, rows, left, values + i, of.count));
            left += params->stride;
        }
        digits_channel_pairs(params->weights, &of);
        of.output += (of.count - 1) * of.step;
    }
}

/* MAX_POOL_2D, one output row: the largest of the cells inside the image. */
struct digits_max_pool_2d_params {
    int input_width;
    int channels;
    int output_width;
    int window_width;
    int stride;
    int pad_left;
    int8_t clamp_min;
    int8_t clamp_max;
    struct digits_window window;
};

static void digits_max_pool_2d_row(const struct digits_max_pool_2d_params __flash *params,
    const int8_t *const *rows, int8_t *output)
{
    const int channels = params->channels;

    int left = -params->pad_left;
    for (int x = 0; x < params->output_width; x++, left += params->stride) {
        const int begin = left < 0 ? 0 : left;
        const int reach = left + params->window_width;
        const int end = reach > params->input_width ? params->input_width : reach;
        for (int c = 0; c < channels; c++) {
            /* starting at the lower clamp is the same as clamping the largest cell from below */
            int8_t largest = params->clamp_min;
            for (int y = 0; y < params->window.height; y++) {
                if (rows[y] != 0) {
                    for (int column = begin; column < end; column++) {
                        const int8_t value = rows[y][column * channels + c];
                        if (value > largest) {
                            largest = value;
                        }
                    }
                }
            }
            *output++ = largest > params->clamp_max ? params->clamp_max : largest;
        }
    }
}

/* FULLY_CONNECTED: output[o] = requantize(bias[o] + sum of weights[o][i] * input[i]).
 * The input's zero point is folded into the bias. */
struct digits_fully_connected_per_axis_once_params {
    const int8_t __flash *weights;
    const int32_t __flash *bias;
    const int32_t __flash *multiplier;
    const int8_t __flash *shift;
    int input_count;
    int output_count;
    int8_t output_zero_point;
    int8_t clamp_min;
    int8_t clamp_max;
};

static void digits_fully_connected_per_axis_once(const struct digits_fully_connected_per_axis_once_params __flash *params,
    const int8_t *input, int8_t *output, int count)
{
    const int input_count = params->input_count;
    const int output_count = params->output_count;

    for (; count > 0; count--) {
        const int8_t __flash *weights = params->weights;
        for (int o = 0; o < output_count; o++) {
            const int32_t acc
                = digits_dot_product(params->bias[o], weights, input, input_count);
            weights += input_count;
            *output++ = digits_requantize_once(acc,
                params->multiplier[o], params->shift[o],
                params->output_zero_point, params->clamp_min, params->clamp_max);
        }
        input += input_count;
    }
}

static const uint8_t __flash digits_node_0_weights[160] = {
    254, 255, 255, 51, 14, 0, 132, 68, 112, 249, 228, 99, 7, 255, 255, 54, 188, 71, 161, 54,
    217, 72, 141, 170, 0, 0, 0, 108, 77, 95, 121, 64, 1, 0, 108, 227, 99, 144, 128, 1, 71, 0, 0,
    33, 9, 0, 167, 190, 153, 218, 243, 1, 145, 223, 196, 162, 151, 27, 120, 232, 255, 207, 154,
    51, 0, 0, 0, 252, 117, 251, 160, 128, 1, 0, 253, 56, 157, 113, 64, 1, 74, 0, 0, 253, 255,
    255, 160, 1, 160, 216, 48, 134, 106, 158, 163, 120, 172, 38, 214, 186, 237, 133, 255, 181,
    0, 0, 0, 170, 252, 109, 148, 128, 1, 0, 150, 8, 198, 169, 128, 1, 236, 255, 255, 36, 2, 0,
    129, 255, 117, 167, 98, 204, 125, 175, 236, 105, 1, 58, 30, 198, 210, 183, 212, 128, 0, 0,
    0, 32, 70, 107, 155, 128, 1, 0, 166, 45, 74, 163, 128, 1,
};

static const struct digits_conv_2d_unsigned_patch_params __flash digits_node_0 = {
    .weights = digits_node_0_weights,
    .input_channels = 1,
    .output_channels = 8,
    .output_zero_point = -128,
    .twos = 5,
    .limit = 255,
    .input_width = 8,
    .output_width = 8,
    .window_width = 3,
    .stride = 1,
    .pad_left = 1,
    .input_zero_point = -128,
    .window = {
        .batches = 1,
        .input_rows = 8,
        .output_rows = 8,
        .height = 3,
        .stride = 1,
        .dilation = 1,
        .pad_top = 1,
        .input_row_bytes = 8,
        .output_row_bytes = 64,
    },
};

static const struct digits_max_pool_2d_params __flash digits_node_1 = {
    .input_width = 8,
    .channels = 8,
    .output_width = 4,
    .window_width = 2,
    .stride = 2,
    .pad_left = 0,
    .clamp_min = -128,
    .clamp_max = 127,
    .window = {
        .batches = 1,
        .input_rows = 8,
        .output_rows = 4,
        .height = 2,
        .stride = 2,
        .dilation = 1,
        .pad_top = 0,
        .input_row_bytes = 64,
        .output_row_bytes = 32,
    },
};

static const uint8_t __flash digits_node_2_weights[1312] = {
    97, 254, 255, 157, 250, 255, 135, 80, 37, 147, 114, 98, 144, 97, 112, 202, 114, 239, 110,
    154, 129, 163, 170, 54, 186, 126, 166, 108, 156, 123, 179, 186, 176, 143, 186, 255, 80, 77,
    7, 163, 1, 81, 76, 175, 130, 121, 86, 114, 96, 234, 124, 199, 102, 115, 91, 110, 62, 56,
    109, 110, 163, 174, 113, 89, 154, 101, 121, 127, 185, 176, 114, 215, 209, 57, 105, 162, 128,
    139, 158, 110, 110, 134, 111, 143, 107, 133, 127, 132, 145, 132, 129, 93, 94, 164, 131, 108,
    95, 124, 137, 122, 135, 107, 96, 122, 83, 46, 115, 133, 136, 127, 170, 114, 152, 56, 137,
    81, 167, 122, 146, 162, 153, 218, 167, 168, 135, 189, 193, 58, 223, 184, 149, 136, 125, 142,
    181, 166, 162, 131, 127, 146, 118, 53, 157, 81, 169, 150, 156, 64, 106, 141, 0, 104, 53, 33,
    217, 128, 1, 0, 240, 131, 125, 162, 128, 1, 111, 3, 0, 43, 4, 0, 124, 113, 164, 126, 154,
    185, 104, 110, 114, 159, 107, 79, 116, 66, 191, 212, 149, 137, 158, 100, 154, 189, 107, 206,
    102, 143, 125, 80, 140, 129, 131, 131, 126, 107, 109, 32, 174, 127, 156, 94, 123, 131, 107,
    102, 159, 79, 140, 122, 126, 139, 95, 83, 135, 95, 144, 96, 147, 127, 135, 105, 202, 73,
    207, 124, 94, 158, 131, 64, 140, 125, 119, 228, 125, 168, 125, 97, 134, 170, 162, 154, 109,
    143, 186, 1, 91, 205, 129, 172, 92, 168, 67, 39, 163, 124, 185, 177, 104, 79, 140, 194, 91,
    99, 91, 78, 143, 127, 59, 128, 94, 134, 169, 141, 126, 67, 152, 142, 66, 109, 137, 71, 210,
    123, 53, 130, 255, 126, 139, 110, 76, 118, 83, 102, 91, 105, 160, 128, 66, 36, 103, 89, 254,
    105, 146, 87, 0, 200, 225, 153, 188, 128, 1, 0, 84, 46, 64, 166, 128, 1, 92, 2, 0, 199, 255,
    255, 80, 58, 83, 185, 92, 80, 129, 100, 123, 58, 85, 1, 102, 85, 151, 25, 169, 146, 175, 39,
    131, 188, 136, 137, 230, 130, 158, 159, 151, 199, 134, 64, 160, 130, 84, 66, 198, 130, 138,
    142, 158, 139, 134, 153, 185, 179, 195, 213, 67, 172, 155, 173, 159, 107, 148, 157, 118, 70,
    169, 69, 255, 6, 165, 114, 126, 177, 115, 51, 113, 172, 108, 224, 77, 159, 159, 173, 109,
    240, 98, 125, 159, 95, 188, 48, 160, 100, 169, 124, 63, 135, 81, 47, 134, 180, 166, 141,
    156, 139, 141, 125, 115, 153, 162, 190, 122, 30, 67, 83, 205, 102, 161, 69, 128, 168, 124,
    70, 149, 158, 128, 209, 66, 111, 43, 133, 43, 149, 72, 126, 142, 120, 156, 109, 91, 142,
    173, 161, 96, 185, 155, 58, 68, 119, 142, 131, 0, 164, 174, 41, 190, 128, 1, 0, 32, 53, 38,
    159, 128, 1, 182, 0, 0, 142, 253, 255, 114, 121, 136, 109, 108, 135, 84, 94, 102, 135, 65,
    163, 105, 109, 98, 135, 129, 103, 1, 104, 140, 122, 114, 124, 95, 133, 117, 151, 145, 170,
    115, 115, 115, 129, 21, 150, 139, 125, 157, 140, 180, 133, 103, 139, 206, 105, 179, 101,
    143, 172, 65, 65, 140, 127, 123, 164, 112, 179, 105, 210, 151, 255, 115, 202, 106, 143, 58,
    131, 123, 149, 197, 139, 141, 167, 139, 222, 159, 188, 128, 162, 103, 166, 27, 175, 109,
    136, 92, 164, 127, 170, 85, 127, 72, 138, 91, 129, 162, 64, 106, 126, 169, 86, 133, 52, 161,
    129, 153, 110, 122, 72, 120, 105, 150, 56, 164, 186, 136, 93, 181, 85, 191, 122, 120, 116,
    158, 117, 171, 92, 85, 123, 81, 155, 101, 85, 112, 126, 83, 86, 101, 149, 91, 115, 121, 156,
    0, 68, 232, 68, 225, 128, 1, 0, 68, 125, 152, 186, 128, 1, 235, 1, 0, 31, 251, 255, 153,
    188, 76, 118, 154, 112, 162, 172, 118, 100, 97, 117, 167, 128, 154, 144, 111, 163, 63, 101,
    114, 170, 165, 182, 137, 140, 96, 182, 167, 221, 155, 183, 139, 223, 1, 204, 147, 148, 114,
    213, 111, 199, 66, 87, 116, 63, 111, 130, 111, 109, 115, 111, 115, 172, 94, 167, 136, 96,
    124, 94, 109, 69, 141, 78, 168, 1, 71, 251, 172, 121, 184, 154, 153, 7, 102, 122, 193, 43,
    159, 147, 142, 56, 96, 76, 131, 101, 126, 23, 100, 68, 68, 24, 114, 34, 138, 113, 80, 200,
    75, 141, 91, 78, 135, 104, 63, 120, 73, 191, 48, 118, 50, 145, 141, 168, 55, 63, 146, 156,
    180, 15, 180, 112, 119, 131, 216, 152, 138, 40, 84, 94, 7, 145, 92, 102, 144, 197, 165, 116,
    87, 171, 194, 48, 139, 115, 0, 172, 178, 40, 204, 128, 1, 0, 138, 157, 103, 149, 128, 1,
    175, 2, 0, 150, 0, 0, 95, 104, 114, 95, 102, 66, 131, 156, 133, 123, 103, 65, 130, 148, 119,
    123, 124, 150, 140, 1, 134, 131, 170, 109, 109, 176, 149, 188, 128, 129, 113, 92, 98, 131,
    187, 57, 131, 144, 145, 151, 119, 122, 161, 132, 171, 148, 134, 161, 168, 89, 255, 111, 165,
    140, 122, 234, 116, 86, 128, 70, 114, 126, 100, 205, 181, 161, 212, 119, 115, 172, 157, 147,
    96, 137, 175, 121, 110, 124, 124, 133, 109, 90, 158, 92, 128, 136, 101, 117, 118, 59, 144,
    61, 95, 134, 86, 180, 158, 125, 133, 109, 134, 118, 116, 157, 92, 74, 198, 127, 193, 104,
    81, 109, 110, 130, 130, 128, 96, 131, 139, 200, 124, 119, 163, 198, 177, 97, 159, 160, 151,
    125, 105, 122, 164, 143, 164, 128, 100, 155, 146, 102, 105, 143, 109, 75, 0, 118, 20, 11,
    240, 128, 1, 0, 212, 197, 74, 192, 128, 1, 97, 255, 255, 32, 1, 0, 129, 139, 60, 21, 143,
    175, 159, 126, 106, 176, 109, 92, 124, 190, 151, 255, 179, 119, 104, 108, 137, 174, 81, 129,
    116, 136, 164, 99, 187, 186, 156, 192, 102, 103, 155, 24, 109, 87, 105, 169, 70, 135, 143,
    119, 184, 185, 136, 145, 113, 86, 104, 66, 126, 68, 151, 42, 71, 145, 43, 127, 158, 216,
    169, 155, 169, 109, 255, 199, 168, 143, 123, 195, 122, 101, 154, 160, 148, 223, 138, 153,
    140, 141, 172, 90, 155, 166, 119, 123, 160, 71, 178, 54, 197, 93, 107, 113, 164, 113, 120,
    181, 137, 131, 158, 93, 88, 162, 143, 206, 120, 154, 160, 120, 135, 130, 187, 238, 125, 183,
    162, 194, 52, 149, 163, 168, 179, 198, 125, 90, 118, 105, 135, 51, 86, 133, 67, 148, 112,
    92, 122, 169, 111, 35, 93, 92, 0, 24, 195, 154, 182, 128, 1, 0, 202, 55, 71, 136, 128, 1,
    54, 253, 255, 66, 252, 255, 156, 74, 114, 134, 151, 111, 148, 196, 132, 167, 213, 104, 162,
    113, 99, 186, 96, 168, 154, 169, 71, 181, 116, 120, 104, 118, 135, 136, 51, 52, 121, 137,
    112, 104, 1, 255, 136, 37, 79, 139, 187, 128, 132, 80, 212, 116, 83, 136, 131, 145, 240,
    113, 140, 109, 194, 95, 136, 120, 218, 58, 112, 58, 115, 195, 155, 81, 195, 215, 82, 54,
    140, 120, 138, 71, 169, 118, 106, 56, 76, 91, 126, 167, 146, 185, 95, 154, 106, 132, 131,
    127, 148, 191, 179, 64, 65, 70, 143, 113, 121, 87, 145, 142, 133, 109, 181, 196, 175, 102,
    97, 117, 157, 153, 193, 178, 122, 110, 179, 167, 152, 98, 193, 168, 123, 88, 128, 42, 160,
    97, 139, 173, 166, 193, 137, 139, 166, 164, 91, 155, 153, 131, 108, 30, 131, 165, 0, 100,
    139, 146, 197, 128, 1, 0, 226, 118, 101, 174, 128, 1,
};

static const struct digits_conv_2d_unsigned_patch_params __flash digits_node_2 = {
    .weights = digits_node_2_weights,
    .input_channels = 8,
    .output_channels = 16,
    .output_zero_point = -128,
    .twos = 36,
    .limit = 255,
    .input_width = 4,
    .output_width = 4,
    .window_width = 3,
    .stride = 1,
    .pad_left = 1,
    .input_zero_point = -128,
    .window = {
        .batches = 1,
        .input_rows = 4,
        .output_rows = 4,
        .height = 3,
        .stride = 1,
        .dilation = 1,
        .pad_top = 1,
        .input_row_bytes = 32,
        .output_row_bytes = 64,
    },
};

static const struct digits_max_pool_2d_params __flash digits_node_3 = {
    .input_width = 4,
    .channels = 16,
    .output_width = 2,
    .window_width = 2,
    .stride = 2,
    .pad_left = 0,
    .clamp_min = -128,
    .clamp_max = 127,
    .window = {
        .batches = 1,
        .input_rows = 4,
        .output_rows = 2,
        .height = 2,
        .stride = 2,
        .dilation = 1,
        .pad_top = 0,
        .input_row_bytes = 64,
        .output_row_bytes = 32,
    },
};

static const int8_t __flash digits_node_5_weights[640] = {
    -39, 35, -8, -57, 7, 48, -45, -55, 18, -8, 27, 33, 56, 11, 14, 12, 22, 7, -7, -35, 27, 21,
    -50, 9, 16, -127, -5, 3, 11, -16, -56, -39, 3, -52, 3, 26, -33, 12, 25, 9, 32, -36, 31, -2,
    -12, -16, 25, -30, 27, 40, 8, -15, 22, -29, 33, 6, -38, -14, 20, 80, 20, -5, -26, -33, 40,
    -19, 10, 8, 17, -8, 67, -50, -37, -12, -21, 15, -49, -17, 0, 24, -73, -76, -36, 9, 56, 52,
    32, -82, 34, -55, -39, -39, -52, -54, 2, 65, 55, -57, -5, 5, -12, 24, 75, -84, 40, 89, -33,
    11, -51, 10, -50, 26, -13, -85, 14, 69, -28, 37, 103, 9, 64, -12, -127, 43, -25, 17, 25, 83,
    2, -27, -74, 30, 51, -33, -3, 11, -55, -23, -91, -32, 7, 20, -2, 55, 2, -5, -48, 21, 31, 18,
    11, -9, -44, -30, 18, -19, -14, 27, 36, 4, 13, 11, -39, 14, -7, -55, 15, 9, -2, 5, 24, 10,
    9, 14, -4, 127, 46, -51, 4, -12, -86, 35, -24, 60, -12, -100, -19, -22, -24, -40, 93, 26, 7,
    -66, 58, 8, 3, -92, 42, 16, -22, -14, -8, -44, 35, -22, -33, -53, -47, -27, 1, 14, -23, 7,
    10, -24, 36, -96, 127, 37, -30, 37, 21, 16, 36, -29, 55, -39, -16, -33, 90, 53, 6, -35, 2,
    -97, -17, -34, -40, -20, -19, -22, 39, 8, 46, -30, -1, 8, -4, 24, 8, -62, -1, 19, 34, 9, -5,
    36, -92, 107, -127, 41, -22, 1, -75, -6, 66, 88, -74, -38, 10, 54, -6, 5, -93, -51, -63, 40,
    -22, 56, -42, 106, 30, -10, 22, -70, 110, 4, -59, -6, 34, 39, 76, -20, -75, 3, 68, -9, -23,
    -39, -64, -2, -14, -7, -24, 13, 2, -25, 28, -12, -57, -23, 70, 53, -34, -46, 34, 5, -31, 36,
    0, -24, 60, 75, 0, 36, 2, 62, 52, 84, -68, 28, -5, -44, -51, 36, 34, -49, 111, 29, -14,
    -127, -109, 74, -28, -30, -108, -48, 17, 23, -65, -43, 24, 23, -45, -12, -4, 33, -5, -1,
    -40, 42, 4, 20, -30, 18, 21, 70, -47, 53, 20, -7, 49, -46, 21, 8, -32, 35, 71, -39, -19, 22,
    -2, -28, -61, -31, 38, -33, -24, 51, 23, -86, 44, 40, 75, 10, 7, -60, -16, 54, 3, 26, 16,
    -39, -96, -9, -35, 10, -127, 72, 36, -36, -62, -70, 28, -14, -34, -42, -25, 5, -10, 45, -1,
    -43, 9, -88, -59, 67, 25, 10, 19, -68, 31, 59, 38, 17, 14, 7, 3, 34, 54, -51, -48, 53, 62,
    -20, -17, -55, 3, -23, -93, -16, 16, -31, -50, -61, -97, -103, -28, 11, 2, 48, -83, -48, 33,
    -50, -40, 48, 27, 4, 0, -11, -48, 23, 11, 70, 21, 3, -8, 40, -72, 66, 97, 11, 99, -36, 18,
    -7, -17, 48, 25, 81, -14, 12, -99, 105, -127, 35, -19, -15, 28, 14, 17, -18, -121, 75, 49,
    47, 46, -31, -37, 70, 25, 36, -30, -89, 2, 23, -31, -27, 12, -74, -13, -36, -23, 17, 28,
    -127, 18, 4, 31, -46, -94, -30, 39, 2, -93, -59, -47, -8, 73, 45, -63, -68, -20, 6, 6, 4,
    -6, 49, -23, 1, 1, -102, 51, -26, 91, -12, -66, -74, 9, -79, 23, -36, -21, 105, -47, 31, 32,
    -1, -38, -125, -3, 43, 37, -64, -28, -22, 26, 58, -37, -11, 6, 127, 12, 73, 14, -27, 29, 17,
    -5, -65, 2, 1, 1, 27, -2, 29, 34, 89, 11, 89, -66, 32, 11, 13, -9, -99, -36, 22, -4, -44,
    -34, -31, 0, 9, -72, 125, -97, -38, 9, 29, -12, -44, 63, 7, 0, 23, 16, -103, -32, 27, 10,
    -13, 5, 7, -40, 20, -20, -27,
};

static const int32_t __flash digits_node_5_bias[10] = {
    -11344, -8976, -18683, -23960, -16845, 11353, -35525, -12539, -109816, 7059,
};

static const int32_t __flash digits_node_5_multiplier[10] = {
    -253415322, -1515834094, -1342330580, -1019458128, -1891872076, -1547441582, -1580776684,
    -1989437944, -1993066426, -1701402932,
};

static const int8_t __flash digits_node_5_shift[10] = {
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
};

static const struct digits_fully_connected_per_axis_once_params __flash digits_node_5 = {
    .weights = digits_node_5_weights,
    .bias = digits_node_5_bias,
    .multiplier = digits_node_5_multiplier,
    .shift = digits_node_5_shift,
    .input_count = 64,
    .output_count = 10,
    .output_zero_point = -1,
    .clamp_min = -128,
    .clamp_max = 127,
};

static int8_t digits_arena[DIGITS_ARENA_BYTES];

int8_t *digits_input(void)
{
    return digits_arena + 192;
}

const int8_t *digits_output(void)
{
    return digits_arena + 0;
}

/* Nodes 0, 1, row by row: rows[] counts the rows of what comes from outside, then what each
 * node has made.  The last node that can run goes first, so no ring holds more than its reader needs. */
static void digits_stream_0(int *rows)
{
    const int8_t *window[3];

    for (;;) {
        if (rows[2] < 4 && digits_rows_needed(&digits_node_1.window, rows[2]) <= rows[1]) {
            digits_gather_rows(&digits_node_1.window, digits_arena + 0, 2, rows[2], window);
            digits_max_pool_2d_row(&digits_node_1, window, digits_arena + 128 + rows[2] * 32);
            rows[2]++;
        } else if (rows[1] < 8 && digits_rows_needed(&digits_node_0.window, rows[1]) <= rows[0]) {
            digits_gather_rows(&digits_node_0.window, digits_arena + 192, 8, rows[1], window);
            digits_conv_2d_unsigned_patch_row(&digits_node_0, window, digits_arena + 0 + (rows[1] % 2) * 64);
            rows[1]++;
        } else {
            return;
        }
    }
}

/* Nodes 2, 3, row by row: rows[] counts the rows of what comes from outside, then what each
 * node has made.  The last node that can run goes first, so no ring holds more than its reader needs. */
static void digits_stream_1(int *rows)
{
    const int8_t *window[3];

    for (;;) {
        if (rows[2] < 2 && digits_rows_needed(&digits_node_3.window, rows[2]) <= rows[1]) {
            digits_gather_rows(&digits_node_3.window, digits_arena + 0, 2, rows[2], window);
            digits_max_pool_2d_row(&digits_node_3, window, digits_arena + 128 + rows[2] * 32);
            rows[2]++;
        } else if (rows[1] < 4 && digits_rows_needed(&digits_node_2.window, rows[1]) <= rows[0]) {
            digits_gather_rows(&digits_node_2.window, digits_arena + 128, 4, rows[1], window);
            digits_conv_2d_unsigned_patch_row(&digits_node_2, window, digits_arena + 0 + (rows[1] % 2) * 64);
            rows[1]++;
        } else {
            return;
        }
    }
}

void digits_invoke(void)
{
    {
        int rows[3] = { 8 };
        digits_stream_0(rows);
    }
    {
        int rows[3] = { 4 };
        digits_stream_1(rows);
    }
    digits_fully_connected_per_axis_once(&digits_node_5, digits_arena + 128, digits_arena + 0, 1);
}

int digits_decide(void)
{
    const int8_t *const values = digits_output();
    int best = 0;

    for (int i = 1; i < 10; i++) {
        if (values[i] > values[best]) {
            best = i;
        }
    }
    return best;
}

#endif
