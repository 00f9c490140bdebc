/* Values of which each bit is 0, 1 or unknown, and which, with their sign, are between two numbers. */
#ifndef TINYML_BITS_H
#define TINYML_BITS_H

#include <stdbool.h>
#include <stdint.h>

/* With these inside of their callers, numbers stay in registers. */
#define FAST __attribute__((always_inline)) static inline

typedef struct {
    uint32_t value;   /* 0 where a bit is unknown */
    uint32_t unknown; /* 1 there */
    uint64_t note;    /* what else is known of it; 0: nothing.  Half of a bits_t, which is passed in two registers */
} bits_t;

/* What more there is to know of a number.  Most numbers have none; each that there is is kept once. */
typedef struct {
    uint32_t above; /* it is so far above the least number of its width, or further */
    uint32_t below; /* and below the greatest one */
    uint32_t name;  /* not 0: see named() */
} note_t;

enum { MOST_NOTES = 1 << 19, NOTE_PLACES = 2 * MOST_NOTES };

static note_t notes[MOST_NOTES]; /* the first says nothing */
static uint32_t note_count = 1;
static uint32_t places_of_notes[NOTE_PLACES]; /* by what they say; 0: none is there */

/* One bit: 0, 1 or UNKNOWN. */
typedef int8_t bit_t;
enum { UNKNOWN = -1 };

FAST uint32_t low_mask(unsigned width) {
    return width == 32 ? UINT32_MAX : (UINT32_C(1) << width) - 1;
}

FAST bits_t of_bits(uint32_t value, uint32_t unknown) {
    return (bits_t){.value = value, .unknown = unknown};
}

FAST bits_t known(uint32_t value) {
    return (bits_t){.value = value};
}

FAST bits_t any(unsigned width) {
    return (bits_t){.unknown = low_mask(width)};
}

/* The least and the largest value that its bits allow, without a sign. */
FAST uint32_t least_of(bits_t a) {
    return a.value;
}

FAST uint32_t most_of(bits_t a) {
    return a.value | a.unknown;
}

FAST int64_t least_number(unsigned width) {
    return -(INT64_C(1) << (width - 1));
}

FAST int64_t greatest_number(unsigned width) {
    return (INT64_C(1) << (width - 1)) - 1;
}

/* The least and the largest value with a sign. */
FAST int32_t least_signed(bits_t a, unsigned width) {
    const uint32_t sign = UINT32_C(1) << (width - 1);
    const int64_t of_bits = (int64_t)((a.value & ~sign)) - (most_of(a) & sign);
    const int64_t of_range = least_number(width) + notes[a.note].above;
    return (int32_t)(of_bits > of_range ? of_bits : of_range);
}

FAST int32_t most_signed(bits_t a, unsigned width) {
    const uint32_t sign = UINT32_C(1) << (width - 1);
    const int64_t of_bits = (int64_t)(most_of(a) & ~sign) - (a.value & sign);
    const int64_t of_range = greatest_number(width) - notes[a.note].below;
    return (int32_t)(of_bits < of_range ? of_bits : of_range);
}

/* The same without a sign. */
FAST uint32_t least_unsigned(bits_t a, unsigned width) {
    const int32_t least = least_signed(a, width);
    return least < 0 && most_signed(a, width) >= 0 ? least_of(a) : (uint32_t)least & low_mask(width);
}

FAST uint32_t most_unsigned(bits_t a, unsigned width) {
    const int32_t most = most_signed(a, width);
    return most >= 0 && least_signed(a, width) < 0 ? most_of(a) : (uint32_t)most & low_mask(width);
}

FAST bool is_known(bits_t a, uint32_t value) {
    return a.unknown == 0 && a.value == value;
}

FAST bool is_zero(bits_t a) {
    return most_of(a) == 0;
}

/* What is true of the bits of both. */
FAST bits_t joined(bits_t a, bits_t b) {
    const uint32_t unknown = a.unknown | b.unknown | (a.value ^ b.value);
    return of_bits(a.value & ~unknown, unknown);
}

/* What is true of all numbers from `least` to `most`, with a sign or without: the bits before the first that differs,
 * which is the sign's if that changes. */
FAST bits_t between(uint32_t least, uint32_t most) {
    const uint32_t unknown = least == most ? 0 : UINT32_MAX >> __builtin_clz(least ^ most);
    return of_bits(least & ~unknown, unknown);
}

/* The number of a note; of nothing where there are too many of them. */
__attribute__((noinline)) static uint64_t note_of(uint32_t above, uint32_t below, uint32_t name) {
    if ((above | below | name) == 0) {
        return 0;
    }
    const uint32_t mixed = (above * UINT32_C(0x9e3779b1) ^ below) * UINT32_C(0x85ebca6b) ^ name * UINT32_C(0xc2b2ae35);
    uint32_t place = (mixed ^ mixed >> 15) & (NOTE_PLACES - 1);
    for (; places_of_notes[place] != 0; place = (place + 1) & (NOTE_PLACES - 1)) {
        const note_t *one = &notes[places_of_notes[place]];
        if (one->above == above && one->below == below && one->name == name) {
            return places_of_notes[place];
        }
    }
    if (note_count == MOST_NOTES) {
        return 0;
    }
    notes[note_count] = (note_t){above, below, name};
    places_of_notes[place] = note_count;
    return note_count++;
}

FAST uint32_t name_of(bits_t a) {
    return notes[a.note].name;
}

static bits_t with_name(bits_t a, uint32_t name) {
    return (bits_t){a.value, a.unknown, note_of(notes[a.note].above, notes[a.note].below, name)};
}

/* The same number, of which it is known as well that it is from `least` to `most`. */
__attribute__((noinline)) static bits_t within(bits_t a, int64_t least, int64_t most, unsigned width) {
    const int64_t least_before = least_signed(a, width), most_before = most_signed(a, width);
    const int64_t first = least > least_before ? least : least_before, last = most < most_before ? most : most_before;
    if (a.unknown == 0 || first > last) {
        return a;
    }
    const bits_t prefix = between((uint32_t)first & low_mask(width), (uint32_t)last & low_mask(width));
    const bits_t found = of_bits(a.value | prefix.value, a.unknown & prefix.unknown);
    if (found.unknown == 0) {
        return found;
    }
    const uint32_t above = (uint32_t)(first - least_number(width)), below = (uint32_t)(greatest_number(width) - last);
    return (bits_t){found.value, found.unknown, note_of(above, below, name_of(a))};
}

/* What is true of both numbers. */
static bits_t either(bits_t a, bits_t b, unsigned width) {
    if (((a.value ^ b.value) | (a.unknown ^ b.unknown) | (a.note ^ b.note)) == 0) {
        return a;
    }
    const int32_t least_a = least_signed(a, width), least_b = least_signed(b, width);
    const int32_t most_a = most_signed(a, width), most_b = most_signed(b, width);
    const bits_t found
        = within(joined(a, b), least_a < least_b ? least_a : least_b, most_a > most_b ? most_a : most_b, width);
    return name_of(a) == name_of(b) ? with_name(found, name_of(a)) : found;
}

/* ---- names ---- */

/* Values with the same name are the same number.  Its lowest bits say what of that: */
enum { ITSELF, INVERSE, SIGN_MASK, INVERSE_SIGN_MASK, FORMS };

/* What is an AND of a number and the mask of its sign, or of the inverse of that: its minimum with 0, or its maximum. */
static bits_t clamped_at_zero(bits_t found, bits_t a, bits_t b) {
    const uint32_t difference = name_of(a) ^ name_of(b);
    const bits_t number = name_of(a) & SIGN_MASK ? b : a;
    if (difference < SIGN_MASK || difference > INVERSE_SIGN_MASK) {
        return found;
    }
    const int32_t least = least_signed(number, 32), most = most_signed(number, 32);
    return difference == SIGN_MASK ? within(found, least, most < 0 ? most : 0, 32)
                                   : within(found, least > 0 ? least : 0, most < 0 ? 0 : most, 32);
}

FAST bits_t low_bits(bits_t a, unsigned width) {
    return of_bits(a.value & low_mask(width), a.unknown & low_mask(width));
}

FAST bit_t bit_of(bits_t a, unsigned place) {
    return a.unknown >> place & 1 ? UNKNOWN : (bit_t)(a.value >> place & 1);
}

FAST bits_t with_bit(bits_t a, unsigned place, bit_t bit) {
    const uint32_t mask = UINT32_C(1) << place;
    return of_bits((a.value & ~mask) | (bit == 1 ? mask : 0), (a.unknown & ~mask) | (bit == UNKNOWN ? mask : 0));
}

/* Whether a value is zero. */
FAST bit_t zero_bit(bits_t a) {
    return a.value != 0 ? 0 : a.unknown != 0 ? UNKNOWN : 1;
}

/* The same of a number with a sign, of which more is known than its bits. */
FAST bit_t zero_bit_of(bits_t a, unsigned width) {
    if (a.value != 0 || a.unknown == 0) {
        return a.value == 0;
    }
    return a.note != 0 && (least_signed(a, width) > 0 || most_signed(a, width) < 0) ? 0 : UNKNOWN;
}

FAST bit_t bit_not(bit_t a) {
    return a == UNKNOWN ? UNKNOWN : (bit_t)!a;
}

FAST bit_t bit_xor(bit_t a, bit_t b) {
    return a == UNKNOWN || b == UNKNOWN ? UNKNOWN : (bit_t)(a ^ b);
}

FAST bit_t bit_and(bit_t a, bit_t b) {
    return a == 0 || b == 0 ? 0 : a == UNKNOWN || b == UNKNOWN ? UNKNOWN : 1;
}

FAST bits_t bits_and(bits_t a, bits_t b) {
    const uint32_t value = a.value & b.value;
    const bits_t found = of_bits(value, most_of(a) & most_of(b) & ~value);
    return name_of(a) != 0 && name_of(b) != 0 ? clamped_at_zero(found, a, b) : found;
}

FAST bits_t bits_or(bits_t a, bits_t b) {
    const uint32_t value = a.value | b.value;
    return of_bits(value, (a.unknown | b.unknown) & ~value);
}

FAST bits_t bits_xor(bits_t a, bits_t b) {
    const uint32_t unknown = a.unknown | b.unknown;
    return of_bits((a.value ^ b.value) & ~unknown, unknown);
}

FAST bits_t bits_not(bits_t a, unsigned width) {
    const note_t note = notes[a.note];
    const bits_t bits = of_bits(~a.value & ~a.unknown & low_mask(width), a.unknown);
    if (a.note == 0) {
        return bits;
    }
    return (bits_t){bits.value, bits.unknown, note_of(note.below, note.above, note.name == 0 ? 0 : note.name ^ INVERSE)};
}

/* A sum with the carry that leaves its highest bit, and whether its sign is not that of the exact sum. */
typedef struct {
    bits_t bits;
    bit_t carry;
    bit_t overflow;
} sum_t;

/* 1 or 0 if a carry leaves `width` bits of every, or of no sum between these two. */
FAST bit_t carry_between(uint64_t least, uint64_t most, unsigned width) {
    return least >> width != 0 ? 1 : most >> width != 0 ? UNKNOWN : 0;
}

FAST sum_t known_sum(uint32_t a, uint32_t b, bool carry, unsigned width) {
    const uint64_t sum = (uint64_t)a + b + carry;
    const uint32_t low = (uint32_t)sum & low_mask(width);
    return (sum_t){known(low), (bit_t)(sum >> width & 1), (bit_t)(((a ^ low) & (b ^ low)) >> (width - 1) & 1)};
}

/* A bit of the sum is unknown if it differs between the sum of all least and of all largest bits, or in an operand. */
FAST sum_t sum_of_bits(bits_t a, bits_t b, bit_t carry, unsigned width) {
    const uint64_t carry_least = carry == 1, carry_most = carry != 0;
    const uint32_t below = low_mask(width - 1);
    const uint64_t least = (uint64_t)least_of(a) + least_of(b) + carry_least;
    const uint64_t most = (uint64_t)most_of(a) + most_of(b) + carry_most;
    const uint64_t mixed = (least ^ most) | a.unknown | b.unknown | (carry_least ^ carry_most);
    const uint32_t unknown = (uint32_t)mixed & low_mask(width);
    const bit_t leaving = carry_between(least, most, width);
    const bit_t into_sign = carry_between((uint64_t)(least_of(a) & below) + (least_of(b) & below) + carry_least,
                                          (uint64_t)(most_of(a) & below) + (most_of(b) & below) + carry_most, width - 1);
    return (sum_t){of_bits((uint32_t)least & low_mask(width) & ~unknown, unknown), leaving, bit_xor(leaving, into_sign)};
}

/* The same with what the ranges tell. */
__attribute__((noinline)) static sum_t sum_of_ranges(bits_t a, bits_t b, bit_t carry, unsigned width) {
    const int64_t least = (int64_t)least_signed(a, width) + least_signed(b, width) + (carry == 1);
    const int64_t most = (int64_t)most_signed(a, width) + most_signed(b, width) + (carry != 0);
    const bool is_below = least < least_number(width), is_above = most > greatest_number(width);
    const bool overflows = most < least_number(width) || least > greatest_number(width);
    sum_t sum = sum_of_bits(a, b, carry, width);
    if (!is_below && !is_above) {
        sum.bits = within(sum.bits, least, most, width);
        sum.overflow = 0;
    } else if (overflows) {
        sum.overflow = 1;
    }
    sum.carry = carry_between((uint64_t)least_unsigned(a, width) + least_unsigned(b, width) + (carry == 1),
                              (uint64_t)most_unsigned(a, width) + most_unsigned(b, width) + (carry != 0), width);
    return sum;
}

/* Whether nothing is known of its range. */
FAST bool is_any_number(bits_t a, unsigned width) {
    return a.note == 0 && a.unknown >> (width - 1) & 1;
}

FAST sum_t sum_of(bits_t a, bits_t b, bit_t carry, unsigned width) {
    if ((a.unknown | b.unknown) == 0 && carry != UNKNOWN) {
        return known_sum(a.value, b.value, carry == 1, width);
    }
    if (is_any_number(a, width) || is_any_number(b, width) || (width == 8 && (a.note | b.note) == 0)) {
        return sum_of_bits(a, b, carry, width);
    }
    return is_known(b, 0) && carry == 0 ? (sum_t){a, 0, 0} : sum_of_ranges(a, b, carry, width);
}

/* a - b - borrow, as a sum; the borrow that leaves it is the inverse of its carry. */
FAST sum_t difference_of(bits_t a, bits_t b, bit_t borrow, unsigned width) {
    return sum_of(a, bits_not(b, width), bit_not(borrow), width);
}

FAST bits_t added(bits_t a, uint32_t amount, unsigned width) {
    return sum_of(a, known(amount & low_mask(width)), 0, width).bits;
}

/* The lowest 32 bits of a product: with unknown factors only the zeros at its end are known. */
FAST bits_t product_of(bits_t a, bits_t b) {
    if (a.unknown == 0 && b.unknown == 0) {
        return known(a.value * b.value);
    }
    if (is_zero(a) || is_zero(b)) {
        return known(0);
    }
    const int zeros = __builtin_ctz(most_of(a)) + __builtin_ctz(most_of(b));
    return zeros > 31 ? known(0) : of_bits(0, UINT32_MAX << zeros);
}

FAST bits_t extended(bits_t a, unsigned width, bool is_signed) {
    const bits_t low = low_bits(a, width);
    if (!is_signed || width == 32 || (low.value | low.unknown) >> (width - 1) == 0) {
        return low;
    }
    const uint32_t above = ~low_mask(width);
    if (low.unknown >> (width - 1) == 0) {
        return of_bits(low.value | above, low.unknown);
    }
    return within(of_bits(low.value, low.unknown | above), least_signed(low, width), most_signed(low, width), 32);
}

#endif
