/* One instruction of RV32IMC, Zba or Zbb. */
#ifndef TINYML_RISCV_INSTRUCTIONS_H
#define TINYML_RISCV_INSTRUCTIONS_H

/* ---- with all bits known ---- */

static uint32_t quotient(operation_t operation, uint32_t a, uint32_t b) {
    const bool overflows = a == UINT32_C(1) << 31 && b == UINT32_MAX;
    switch (operation) {
    case DIV:
        return b == 0 ? UINT32_MAX : overflows ? a : (uint32_t)((int32_t)a / (int32_t)b);
    case REM:
        return b == 0 ? a : overflows ? 0 : (uint32_t)((int32_t)a % (int32_t)b);
    case DIVU:
        return b == 0 ? UINT32_MAX : a / b;
    default:
        return b == 0 ? a : a % b;
    }
}

static uint32_t rotated_left(uint32_t a, uint32_t by) {
    return by == 0 ? a : a << by | a >> (32 - by);
}

static uint32_t bytes_combined(uint32_t a) {
    uint32_t found = 0;
    for (unsigned place = 0; place < 32; place += 8) {
        found |= (a >> place & 255) != 0 ? UINT32_C(255) << place : 0;
    }
    return found;
}

/* Of one number. */
static uint32_t result_of_one(operation_t operation, uint32_t a) {
    switch (operation) {
    case CLZ:
        return a == 0 ? 32 : (uint32_t)__builtin_clz(a);
    case CTZ:
        return a == 0 ? 32 : (uint32_t)__builtin_ctz(a);
    case CPOP:
        return (uint32_t)__builtin_popcount(a);
    case SEXT_B:
        return with_sign(a, 8);
    case SEXT_H:
        return with_sign(a, 16);
    case ZEXT_H:
        return a & 0xffff;
    case ORC_B:
        return bytes_combined(a);
    default:
        return __builtin_bswap32(a); /* REV8 */
    }
}

/* Nearly all that is executed: with it inside of step() all takes a quarter less. */
__attribute__((always_inline)) static inline uint32_t result_of(operation_t operation, uint32_t a, uint32_t b) {
    const int64_t wide_a = (int32_t)a, wide_b = (int32_t)b;
    switch (operation) {
    case ADD:
        return a + b;
    case SUB:
        return a - b;
    case SLL:
        return a << (b & 31);
    case SLT:
        return (int32_t)a < (int32_t)b;
    case SLTU:
        return a < b;
    case XOR:
        return a ^ b;
    case SRL:
        return a >> (b & 31);
    case SRA:
        return (uint32_t)((int32_t)a >> (b & 31));
    case OR:
        return a | b;
    case AND:
        return a & b;
    case MUL:
        return a * b;
    case MULH:
        return (uint32_t)(wide_a * wide_b >> 32);
    case MULHSU:
        return (uint32_t)(wide_a * (int64_t)b >> 32);
    case MULHU:
        return (uint32_t)((uint64_t)a * b >> 32);
    case DIV:
    case DIVU:
    case REM:
    case REMU:
        return quotient(operation, a, b);
    case SH1ADD:
    case SH2ADD:
    case SH3ADD:
        return (a << (operation - SH1ADD + 1)) + b;
    case ANDN:
        return a & ~b;
    case ORN:
        return a | ~b;
    case XNOR:
        return ~(a ^ b);
    case MIN:
        return wide_a < wide_b ? a : b;
    case MINU:
        return a < b ? a : b;
    case MAX:
        return wide_a < wide_b ? b : a;
    case MAXU:
        return a < b ? b : a;
    case ROL:
        return rotated_left(a, b & 31);
    case ROR:
        return rotated_left(a, -b & 31);
    default:
        return result_of_one(operation, a);
    }
}

/* ---- with unknown bits ---- */

/* What both say of the bits of the same number. */
static bits_t both(bits_t a, bits_t b) {
    return of_bits(a.value | b.value, a.unknown & b.unknown);
}

static bit_t is_less(bits_t a, bits_t b, bool is_signed) {
    if (is_signed) {
        return most_signed(a, 32) < least_signed(b, 32) ? 1 : least_signed(a, 32) >= most_signed(b, 32) ? 0 : UNKNOWN;
    }
    return most_unsigned(a, 32) < least_unsigned(b, 32) ? 1 : least_unsigned(a, 32) >= most_unsigned(b, 32) ? 0 : UNKNOWN;
}

static bit_t is_equal(bits_t a, bits_t b) {
    const bit_t found = zero_bit(bits_xor(a, b));
    return hold(EQUAL, &a, &b, 0, 32) ? found : 0;
}

static bits_t shifted_by(operation_t operation, bits_t a, unsigned by) {
    const bits_t bits = of_bits(result_of(operation, a.value, by), result_of(operation, a.unknown, by));
    if (operation == SRA || (operation == SRL && least_signed(a, 32) >= 0)) {
        return shifted_right_range(bits, a, by);
    }
    return operation == SLL ? shifted_left_range(bits, a, by) : bits;
}

/* Shifted and rotated by every number that there can be. */
static bits_t shifted(operation_t operation, bits_t a, bits_t by) {
    const uint32_t unknown = by.unknown & 31;
    bits_t found = known(0);
    for (uint32_t subset = unknown;; subset = subset_before(subset, unknown)) {
        const uint32_t each = by.value | subset;
        const bits_t one = shifted_by(operation, a, each & 31);
        found = subset == unknown ? one : either(found, one, 32);
        if (subset == 0) {
            return found;
        }
    }
}

static bits_t upper_product(operation_t operation, bits_t a, bits_t b) {
    if (operation == MULHU) {
        return from_to(result_of(MULHU, least_unsigned(a, 32), least_unsigned(b, 32)),
                       result_of(MULHU, most_unsigned(a, 32), most_unsigned(b, 32)));
    }
    const bool is_signed = operation == MULH;
    const int64_t factors[] = {least_signed(a, 32), most_signed(a, 32)};
    const int64_t others[] = {is_signed ? least_signed(b, 32) : (int64_t)least_unsigned(b, 32),
                              is_signed ? most_signed(b, 32) : (int64_t)most_unsigned(b, 32)};
    int64_t least = INT64_MAX, most = INT64_MIN;
    for (int index = 0; index < 4; index++) {
        const int64_t product = factors[index & 1] * others[index >> 1];
        least = product < least ? product : least;
        most = product > most ? product : most;
    }
    return within(any(32), least >> 32, most >> 32, 32);
}

/* What is left of a division by a number above zero: it has the sign of what is divided. */
static bits_t remainder_signed(bits_t a, bits_t b) {
    const int64_t least = least_signed(a, 32), most = most_signed(a, 32), last = (int64_t)most_signed(b, 32) - 1;
    if (least_signed(b, 32) <= 0) {
        return any(32);
    }
    return within(any(32), least > 0 ? 0 : least > -last ? least : -last, most < 0 ? 0 : most < last ? most : last, 32);
}

static bits_t remainder_unsigned(bits_t a, bits_t b) {
    const uint32_t most = most_unsigned(a, 32), last = most_unsigned(b, 32) - 1;
    return least_unsigned(b, 32) == 0 ? any(32) : from_to(0, most < last ? most : last);
}

/* The least or the greatest of two: one of them, in their range. */
static bits_t chosen(operation_t operation, bits_t a, bits_t b) {
    const bool is_signed = operation == MIN || operation == MAX;
    if (!is_signed) {
        return both(joined(a, b), from_to(result_of(operation, least_unsigned(a, 32), least_unsigned(b, 32)),
                                          result_of(operation, most_unsigned(a, 32), most_unsigned(b, 32))));
    }
    const uint32_t least = result_of(operation, (uint32_t)least_signed(a, 32), (uint32_t)least_signed(b, 32));
    const uint32_t most = result_of(operation, (uint32_t)most_signed(a, 32), (uint32_t)most_signed(b, 32));
    return within(joined(a, b), (int32_t)least, (int32_t)most, 32);
}

/* Of one number. */
static bits_t bits_of_one(operation_t operation, bits_t a) {
    switch (operation) {
    case CLZ:
        return between(result_of_one(CLZ, most_of(a)), result_of_one(CLZ, a.value));
    case CTZ:
        return between(result_of_one(CTZ, most_of(a)), result_of_one(CTZ, a.value));
    case CPOP:
        return between(result_of_one(CPOP, a.value), result_of_one(CPOP, most_of(a)));
    case SEXT_B:
        return extended(a, 8, true);
    case SEXT_H:
        return extended(a, 16, true);
    case ZEXT_H:
        return low_bits(a, 16);
    case ORC_B: {
        const uint32_t set = bytes_combined(a.value);
        return of_bits(set, bytes_combined(a.unknown) & ~set);
    }
    default: /* REV8 */
        return of_bits(__builtin_bswap32(a.value), __builtin_bswap32(a.unknown));
    }
}

static bits_t bits_of(operation_t operation, bits_t a, bits_t b) {
    switch (operation) {
    case ADD:
        return sum_of(a, b, 0, 32).bits;
    case SUB:
        return difference_of(a, b, 0, 32).bits;
    case SLT:
    case SLTU:
        return with_bit(known(0), 0, is_less(a, b, operation == SLT));
    case XOR:
        return is_known(b, UINT32_MAX) ? bits_not(a, 32) : bits_xor(a, b);
    case OR:
        return bits_or(a, b);
    case AND:
        return bits_and(a, b);
    case ANDN:
        return bits_and(a, bits_not(b, 32));
    case ORN:
        return bits_or(a, bits_not(b, 32));
    case XNOR:
        return bits_not(bits_xor(a, b), 32);
    case SLL:
    case SRL:
    case SRA:
    case ROL:
    case ROR:
        return shifted(operation, a, b);
    case MUL:
        return product_of(a, b);
    case MULH:
    case MULHSU:
    case MULHU:
        return upper_product(operation, a, b);
    case DIV:
        return quotient_signed(a, b);
    case DIVU:
        return quotient_unsigned(a, b);
    case REM:
        return remainder_signed(a, b);
    case REMU:
        return remainder_unsigned(a, b);
    case SH1ADD:
    case SH2ADD:
    case SH3ADD:
        return sum_of(shifted(SLL, a, known(operation - SH1ADD + 1u)), b, 0, 32).bits;
    case MIN:
    case MINU:
    case MAX:
    case MAXU:
        return chosen(operation, a, b);
    default:
        return bits_of_one(operation, a);
    }
}

/* ---- instructions ---- */

static void put(unsigned d, bits_t value) {
    if (d != 0) {
        r[d] = value;
    }
}

/* To the next instruction. */
static void end(const decoded_t *one) {
    took(one->cost);
    state.pc += one->bytes;
}

/* NOT and the mask of a sign have the names of what they are of. */
static bool keeps_name(const decoded_t *one) {
    return one->has_number && ((one->what == XOR && one->number == UINT32_MAX) || (one->what == SRA && one->number == 31));
}

static void compute(const decoded_t *one) {
    if (r[one->a].unknown != 0 && keeps_name(one)) {
        r[one->a] = named(r[one->a]);
    }
    const bits_t a = r[one->a], b = one->has_number ? known(one->number) : r[one->b];
    const bool is_known = (a.unknown | b.unknown) == 0;
    put(one->d, is_known ? known(result_of(one->what, a.value, b.value)) : bits_of(one->what, a, b));
    end(one);
}

/* A register and a number. */
static bits_t place_of(const decoded_t *one) {
    const bits_t base = r[one->a];
    return base.unknown == 0 ? known(base.value + one->number) : added(base, one->number, 32);
}

static void load_register(const decoded_t *one) {
    const unsigned size = 1u << (one->what & 3);
    const bits_t found = load(place_of(one), size);
    put(one->d, extended(found, 8 * size, (one->what & 4) == 0));
    end(one);
}

static void store_register(const decoded_t *one) {
    store(place_of(one), r[one->b], 1u << one->what);
    end(one);
}

/* BEQ, BNE, BLT, BGE, BLTU, BGEU */
static bit_t condition(unsigned what, bits_t a, bits_t b) {
    const bit_t found = what < 4 ? is_equal(a, b) : is_less(a, b, what < 6);
    return what & 1 ? bit_not(found) : found;
}

static void branch_if(const decoded_t *one) {
    const uint32_t next = state.pc + one->bytes;
    static const relation_t relations[] = {EQUAL, NOT_EQUAL, NO_RELATION, NO_RELATION, LESS, NOT_LESS, BELOW, NOT_BELOW};
    const bit_t found = condition(one->what, r[one->a], r[one->b]);
    if (found == UNKNOWN) {
        const comparison_t comparison = difference_from(one->a, one->b, known(0), 0);
        fork_to(&comparison, relations[one->what], one->number, one->taken, next, one->cost);
    } else {
        took(found == 1 ? one->taken : one->cost);
        state.pc = found == 1 ? one->number : next;
    }
}

static bool is_link(unsigned number) {
    return number == LINK || number == ALTERNATE_LINK;
}

/* A call keeps the address of the next instruction, and a return goes there. */
static void jump(const decoded_t *one, bits_t target, bool is_return) {
    put(one->d, known(state.pc + one->bytes));
    state.depth += is_link(one->d) ? 1 : is_return ? -1 : 0;
    took(one->cost);
    if (target.unknown != 0) {
        jump_by_cases(with_bit(target, 0, 0));
    } else {
        state.pc = target.value & ~UINT32_C(1);
    }
}

/* Semihosting has its breakpoint between two shifts that do nothing. */
static void stop_at_breakpoint(const decoded_t *one) {
    const bool is_call = word_at(state.pc - 4) == 0x01f01013 && word_at(state.pc + 4) == 0x40705013;
    if (!is_call || begins_in_model) {
        refuse("stops at a breakpoint");
    }
    put(FIRST_ARGUMENT, semihost(r[FIRST_ARGUMENT], r[FIRST_ARGUMENT + 1]));
    end(one);
}

static void step(void) {
    const decoded_t *one = instruction_at(state.pc);
    switch (one->kind) {
    case COMPUTE:
        compute(one);
        return;
    case LOAD:
        load_register(one);
        return;
    case STORE:
        store_register(one);
        return;
    case BRANCH:
        branch_if(one);
        return;
    case JUMP:
        jump(one, known(one->number), false);
        return;
    case JUMP_TO_REGISTER:
        jump(one, place_of(one), is_link(one->a));
        return;
    case STATUS: /* registers that hold nothing that a model reads */
        put(one->d, begins_in_model ? any(32) : known(0));
        break;
    case BREAKPOINT:
        stop_at_breakpoint(one);
        return;
    case NOTHING:
        break;
    default:
        refuse("has the unknown instruction %0*x", 2 * one->bytes, one->number);
    }
    end(one);
}

#endif
