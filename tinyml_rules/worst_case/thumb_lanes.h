/* Bytes and halves of registers, side by side, and what else 1111 1010 has: the ARMv7-M Architecture Reference Manual,
 * sections A5.3.12 to A5.3.15. */
#ifndef TINYML_THUMB_LANES_H
#define TINYML_THUMB_LANES_H

static bits_t lane_of(bits_t a, unsigned at, unsigned width) {
    return of_bits(a.value >> at & low_mask(width), a.unknown >> at & low_mask(width));
}

static bits_t with_lane(bits_t a, unsigned at, bits_t lane) {
    return of_bits(a.value | lane.value << at, a.unknown | lane.unknown << at);
}

static int64_t clamped(int64_t value, int64_t least, int64_t most) {
    return value < least ? least : value > most ? most : value;
}

enum { WRAPPED = 0, SATURATED = 1, HALVED = 2, WITHOUT_SIGN = 4 };

/* A lane of a saturated or a halved sum, which is known where both lanes are. */
static bits_t finished_sum(bits_t a, bits_t b, bool is_difference, unsigned width, unsigned kind) {
    const bool is_signed = (kind & WITHOUT_SIGN) == 0;
    const int64_t left = is_signed ? (int32_t)extended(a, width, true).value : (int64_t)a.value;
    const int64_t right = is_signed ? (int32_t)extended(b, width, true).value : (int64_t)b.value;
    const int64_t sum = is_difference ? left - right : left + right;
    const int64_t half = INT64_C(1) << (width - 1);
    const int64_t finished = kind & HALVED ? sum >> 1
                             : is_signed   ? clamped(sum, -half, half - 1)
                                           : clamped(sum, 0, 2 * half - 1);
    return (a.unknown | b.unknown) != 0 ? any(width) : known((uint32_t)finished & low_mask(width));
}

/* A lane of a sum; those that wrap say in flags whether the sum is not negative, or whether a carry leaves it. */
static bits_t lane_sum(bits_t a, bits_t b, bool is_difference, unsigned width, unsigned kind, unsigned at) {
    if (kind & (SATURATED | HALVED)) {
        return finished_sum(a, b, is_difference, width, kind);
    }
    const bits_t right = is_difference ? bits_not(b, width) : b;
    const sum_t sum = sum_of(a, right, is_difference, width);
    const bit_t sign = bit_xor(bit_xor(bit_of(a, width - 1), bit_of(right, width - 1)), sum.carry);
    for (unsigned byte = at / 8; byte < (at + width) / 8; byte++) {
        f[GREATER_OR_EQUAL + byte] = kind & WITHOUT_SIGN ? sum.carry : bit_not(sign);
    }
    return sum.bits;
}

/* SADD16, UQSUB8, SHASX and so on. */
static bits_t lanes_of_sum(bits_t a, bits_t b, unsigned number, unsigned kind) {
    bits_t found = known(0);
    if (number == 0 || number == 4) {
        for (unsigned at = 0; at < 32; at += 8) {
            found = with_lane(found, at, lane_sum(lane_of(a, at, 8), lane_of(b, at, 8), number == 4, 8, kind, at));
        }
        return found;
    }
    if ((number != 1 && number != 2 && number != 5 && number != 6)) {
        refuse_unknown();
    }
    const bits_t right = number == 2 || number == 6 ? turned(b, 16) : b; /* crossed */
    const bool is_low_difference = number == 5 || number == 2, is_high_difference = number == 5 || number == 6;
    found = lane_sum(lane_of(a, 0, 16), lane_of(right, 0, 16), is_low_difference, 16, kind, 0);
    return with_lane(found, 16, lane_sum(lane_of(a, 16, 16), lane_of(right, 16, 16), is_high_difference, 16, kind, 16));
}

/* SEL. */
static bits_t selected(bits_t a, bits_t b) {
    bits_t found = known(0);
    for (unsigned byte = 0; byte < 4; byte++) {
        const bits_t left = lane_of(a, 8 * byte, 8), right = lane_of(b, 8 * byte, 8);
        const bit_t flag = f[GREATER_OR_EQUAL + byte];
        found = with_lane(found, 8 * byte, flag == UNKNOWN ? joined(left, right) : flag == 1 ? left : right);
    }
    return found;
}

/* QADD, QDADD, QSUB, QDSUB. */
static bits_t saturated_sum(bits_t a, bits_t b, unsigned kind) {
    const bits_t twice = kind & 1 ? finished_sum(b, b, false, 32, SATURATED) : b;
    return finished_sum(a, twice, (kind & 2) != 0, 32, SATURATED);
}

static uint32_t bits_reversed(uint32_t a) {
    uint32_t found = 0;
    for (unsigned bit = 0; bit < 32; bit++) {
        found |= (a >> bit & 1) << (31 - bit);
    }
    return found;
}

static unsigned leading_zeros(uint32_t a) {
    return a == 0 ? 32 : (unsigned)__builtin_clz(a);
}

/* CLZ: of the least and of the most; between them the lower bits are any. */
static bits_t zeros_before(bits_t a) {
    return between(leading_zeros(most_of(a)), leading_zeros(least_of(a)));
}

/* Of the register `a`, and `b` where there are two. */
static bits_t miscellaneous_of(bits_t a, bits_t b, unsigned number, unsigned kind) {
    switch (number << 4 | kind) {
    case 0x00:
    case 0x01:
    case 0x02:
    case 0x03:
        return saturated_sum(b, a, kind);
    case 0x10:
        return bytes_reversed(b);
    case 0x11:
        return reversed_bytes_of_halves(b);
    case 0x12:
        return of_bits(bits_reversed(b.value), bits_reversed(b.unknown));
    case 0x13:
        return extended(reversed_bytes_of_halves(b), 16, true);
    case 0x20:
        return selected(a, b);
    case 0x30:
        return zeros_before(b);
    default:
        refuse_unknown();
    }
}

/* SXTB, UXTAH, SXTAB16 and so on: `number` says what is extended, `more` is added. */
static bits_t extended_sum(bits_t a, bits_t more, unsigned number) {
    const bool is_signed = (number & 1) == 0;
    if (number >> 1 != 1) {
        return sum_of(more, extended(a, number >> 1 == 0 ? 16 : 8, is_signed), 0, 32).bits;
    }
    bits_t found = known(0);
    for (unsigned at = 0; at < 32; at += 16) {
        const bits_t lane = low_bits(extended(lane_of(a, at, 8), 8, is_signed), 16);
        found = with_lane(found, at, sum_of(lane_of(more, at, 16), lane, 0, 16).bits);
    }
    return found;
}

/* 1111 1010. */
static void of_long_registers(uint16_t first, uint16_t second) {
    const unsigned d = second >> 8 & 15, kind = second >> 4 & 15, number = first >> 4 & 7;
    const bits_t a = r[first & 15], b = r[second & 15];
    if ((first & 0x80) == 0 && kind == 0) {
        sets_flags = number & 1;
        r[d] = shifted(a, number >> 1, b);
    } else if ((first & 0x80) == 0 && kind >= 8 && number < 6) {
        r[d] = extended_sum(turned(b, (kind & 3) * 8), (first & 15) == NONE ? known(0) : a, number);
    } else if ((first & 0x80) != 0 && kind < 8) {
        r[d] = lanes_of_sum(a, b, number, kind);
    } else if ((first & 0x80) != 0 && kind >> 2 == 2) {
        r[d] = miscellaneous_of(a, b, number, kind & 3);
    } else {
        refuse_unknown();
    }
    end();
}

#endif
