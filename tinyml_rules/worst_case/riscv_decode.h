/* Decodes an instruction of RV32IMC, Zba or Zbb: the encodings of the RISC-V Instruction Set Manual, volume I, and of
 * the Bit-Manipulation ISA-extensions. */
#ifndef TINYML_RISCV_DECODE_H
#define TINYML_RISCV_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { NOT_DECODED, COMPUTE, LOAD, STORE, BRANCH, JUMP, JUMP_TO_REGISTER, STATUS, BREAKPOINT, NOTHING, OTHER } kind_t;

/* What is computed of one or two numbers. */
typedef enum {
    ADD,
    SUB,
    SLL,
    SLT,
    SLTU,
    XOR,
    SRL,
    SRA,
    OR,
    AND,
    MUL,
    MULH,
    MULHSU,
    MULHU,
    DIV,
    DIVU,
    REM,
    REMU,
    SH1ADD,
    SH2ADD,
    SH3ADD,
    ANDN,
    ORN,
    XNOR,
    MIN,
    MINU,
    MAX,
    MAXU,
    ROL,
    ROR,
    CLZ,
    CTZ,
    CPOP,
    SEXT_B,
    SEXT_H,
    ZEXT_H,
    ORC_B,
    REV8,
} operation_t;

typedef struct {
    uint8_t kind;
    uint8_t what; /* the operation; of a load, a store and a branch the three bits that tell which */
    uint8_t d, a, b;
    bool has_number; /* instead of register b */
    uint8_t bytes;
    uint8_t cost;
    uint8_t taken;
    uint32_t number; /* an operand, a distance of memory, or the address of a jump */
} decoded_t;

typedef struct {
    uint32_t mask;
    uint32_t value;
    operation_t operation;
} pattern_t;

static const pattern_t patterns[] = {
    {0x0000707f, 0x00000013, ADD},    {0x0000707f, 0x00002013, SLT},    {0x0000707f, 0x00003013, SLTU},
    {0x0000707f, 0x00004013, XOR},    {0x0000707f, 0x00006013, OR},     {0x0000707f, 0x00007013, AND},
    {0xfe00707f, 0x00001013, SLL},    {0xfe00707f, 0x00005013, SRL},    {0xfe00707f, 0x40005013, SRA},
    {0xfe00707f, 0x00000033, ADD},    {0xfe00707f, 0x40000033, SUB},    {0xfe00707f, 0x00001033, SLL},
    {0xfe00707f, 0x00002033, SLT},    {0xfe00707f, 0x00003033, SLTU},   {0xfe00707f, 0x00004033, XOR},
    {0xfe00707f, 0x00005033, SRL},    {0xfe00707f, 0x40005033, SRA},    {0xfe00707f, 0x00006033, OR},
    {0xfe00707f, 0x00007033, AND},    {0xfe00707f, 0x02000033, MUL},    {0xfe00707f, 0x02001033, MULH},
    {0xfe00707f, 0x02002033, MULHSU}, {0xfe00707f, 0x02003033, MULHU},  {0xfe00707f, 0x02004033, DIV},
    {0xfe00707f, 0x02005033, DIVU},   {0xfe00707f, 0x02006033, REM},    {0xfe00707f, 0x02007033, REMU},
    {0xfe00707f, 0x20002033, SH1ADD}, {0xfe00707f, 0x20004033, SH2ADD}, {0xfe00707f, 0x20006033, SH3ADD},
    {0xfe00707f, 0x40007033, ANDN},   {0xfe00707f, 0x40006033, ORN},    {0xfe00707f, 0x40004033, XNOR},
    {0xfe00707f, 0x0a004033, MIN},    {0xfe00707f, 0x0a005033, MINU},   {0xfe00707f, 0x0a006033, MAX},
    {0xfe00707f, 0x0a007033, MAXU},   {0xfe00707f, 0x60001033, ROL},    {0xfe00707f, 0x60005033, ROR},
    {0xfe00707f, 0x60005013, ROR},    {0xfff0707f, 0x60001013, CLZ},    {0xfff0707f, 0x60101013, CTZ},
    {0xfff0707f, 0x60201013, CPOP},   {0xfff0707f, 0x60401013, SEXT_B}, {0xfff0707f, 0x60501013, SEXT_H},
    {0xfff0707f, 0x08004033, ZEXT_H}, {0xfff0707f, 0x28705013, ORC_B},  {0xfff0707f, 0x69805013, REV8},
};

/* The bits `high` to `low` of a word, at another place. */
static uint32_t field(uint32_t word, unsigned high, unsigned low, unsigned to) {
    return (word >> low & ((UINT32_C(1) << (high - low + 1)) - 1)) << to;
}

static uint32_t with_sign(uint32_t number, unsigned width) {
    return (uint32_t)((int32_t)(number << (32 - width)) >> (32 - width));
}

static uint32_t jump_distance(uint32_t word) {
    return with_sign(field(word, 31, 31, 20) | field(word, 19, 12, 12) | field(word, 20, 20, 11) | field(word, 30, 21, 1),
                     21);
}

static uint32_t branch_distance(uint32_t word) {
    return with_sign(field(word, 31, 31, 12) | field(word, 7, 7, 11) | field(word, 30, 25, 5) | field(word, 11, 8, 1), 13);
}

static decoded_t computation(uint32_t word, decoded_t one) {
    for (size_t index = 0; index < sizeof patterns / sizeof *patterns; index++) {
        if ((word & patterns[index].mask) == patterns[index].value) {
            one.kind = COMPUTE;
            one.what = (uint8_t)patterns[index].operation;
            one.has_number = (word & 0x7f) == 0x13;
        }
    }
    return one;
}

/* An instruction of 32 bits. */
static decoded_t decoded_long(uint32_t word, uint32_t pc) {
    decoded_t one = {
        .kind = OTHER,
        .what = (uint8_t)(word >> 12 & 7),
        .d = word >> 7 & 31,
        .a = word >> 15 & 31,
        .b = word >> 20 & 31,
        .number = (uint32_t)((int32_t)word >> 20),
    };
    const uint32_t upper = word & 0xfffff000;
    switch (word & 0x7f) {
    case 0x37: /* LUI, AUIPC */
    case 0x17:
        return (decoded_t){.kind = COMPUTE, .what = ADD, .d = one.d, .has_number = true, .number = word & 0x20 ? upper : pc + upper};
    case 0x6f:
        one.kind = JUMP;
        one.number = pc + jump_distance(word);
        return one;
    case 0x67:
        one.kind = one.what == 0 ? JUMP_TO_REGISTER : OTHER;
        return one;
    case 0x63:
        one.kind = one.what == 2 || one.what == 3 ? OTHER : BRANCH;
        one.number = pc + branch_distance(word);
        return one;
    case 0x03:
        one.kind = one.what == 3 || one.what > 5 ? OTHER : LOAD;
        return one;
    case 0x23:
        one.kind = one.what > 2 ? OTHER : STORE;
        one.number = (one.number & ~UINT32_C(31)) | one.d;
        return one;
    case 0x13:
    case 0x33:
        return computation(word, one);
    case 0x0f: /* FENCE */
        one.kind = NOTHING;
        return one;
    case 0x73: /* WFI, MRET and ECALL are none that a model has */
        one.kind = word == 0x00100073 ? BREAKPOINT : one.what == 0 || one.what == 4 ? OTHER : STATUS;
        return one;
    default:
        return one;
    }
}

/* ---- the instructions of 32 bits that those of 16 stand for; 0 for none ---- */

static uint32_t with_number(uint32_t opcode, uint32_t d, uint32_t a, uint32_t number) {
    return opcode | d << 7 | a << 15 | number << 20;
}

static uint32_t of_two(uint32_t opcode, uint32_t d, uint32_t a, uint32_t b) {
    return opcode | d << 7 | a << 15 | b << 20;
}

static uint32_t store_to(uint32_t a, uint32_t b, uint32_t distance) {
    return 0x2023 | field(distance, 4, 0, 7) | a << 15 | b << 20 | field(distance, 11, 5, 25);
}

static uint32_t jump_by(uint32_t d, uint32_t distance) {
    return 0x6f | d << 7 | field(distance, 20, 20, 31) | field(distance, 10, 1, 21) | field(distance, 11, 11, 20)
           | field(distance, 19, 12, 12);
}

static uint32_t branch_by(uint32_t opcode, uint32_t a, uint32_t distance) {
    return opcode | a << 15 | field(distance, 12, 12, 31) | field(distance, 10, 5, 25) | field(distance, 4, 1, 8)
           | field(distance, 11, 11, 7);
}

/* The first quadrant: places in memory and on the stack. */
static uint32_t expanded_access(uint16_t c) {
    const uint32_t d = 8 + (c >> 2 & 7), a = 8 + (c >> 7 & 7);
    const uint32_t distance = field(c, 12, 10, 3) | field(c, 6, 6, 2) | field(c, 5, 5, 6);
    switch (c >> 13) {
    case 0: {
        const uint32_t number = field(c, 12, 11, 4) | field(c, 10, 7, 6) | field(c, 6, 6, 2) | field(c, 5, 5, 3);
        return number == 0 ? 0 : with_number(0x13, d, 2, number); /* C.ADDI4SPN */
    }
    case 2:
        return with_number(0x2003, d, a, distance); /* C.LW */
    case 6:
        return store_to(a, d, distance); /* C.SW */
    default:
        return 0;
    }
}

/* Computations of the registers 8 to 15. */
static uint32_t expanded_computation(uint16_t c, uint32_t number) {
    static const uint32_t two[] = {0x40000033, 0x4033, 0x6033, 0x7033}; /* SUB, XOR, OR, AND */
    const uint32_t d = 8 + (c >> 7 & 7), b = 8 + (c >> 2 & 7);
    const bool is_far = (c & 0x1000) != 0;
    switch (c >> 10 & 3) {
    case 0:
        return is_far ? 0 : with_number(0x5013, d, d, number); /* C.SRLI */
    case 1:
        return is_far ? 0 : with_number(0x40005013, d, d, number); /* C.SRAI */
    case 2:
        return with_number(0x7013, d, d, number); /* C.ANDI */
    default:
        return is_far ? 0 : of_two(two[c >> 5 & 3], d, d, b);
    }
}

/* The second quadrant. */
static uint32_t expanded_number(uint16_t c) {
    const uint32_t d = c >> 7 & 31, number = with_sign(field(c, 12, 12, 5) | field(c, 6, 2, 0), 6);
    const uint32_t far = with_sign(field(c, 12, 12, 11) | field(c, 11, 11, 4) | field(c, 10, 9, 8) | field(c, 8, 8, 10)
                                       | field(c, 7, 7, 6) | field(c, 6, 6, 7) | field(c, 5, 3, 1) | field(c, 2, 2, 5),
                                   12);
    const uint32_t near = with_sign(
        field(c, 12, 12, 8) | field(c, 11, 10, 3) | field(c, 6, 5, 6) | field(c, 4, 3, 1) | field(c, 2, 2, 5), 9);
    const uint32_t frame = with_sign(
        field(c, 12, 12, 9) | field(c, 6, 6, 4) | field(c, 5, 5, 6) | field(c, 4, 3, 7) | field(c, 2, 2, 5), 10);
    switch (c >> 13) {
    case 0:
        return with_number(0x13, d, d, number); /* C.ADDI */
    case 1:
        return jump_by(1, far); /* C.JAL */
    case 2:
        return with_number(0x13, d, 0, number); /* C.LI */
    case 3:
        if (d == 2) {
            return with_number(0x13, 2, 2, frame); /* C.ADDI16SP */
        }
        return number == 0 ? 0 : 0x37 | d << 7 | number << 12; /* C.LUI */
    case 4:
        return expanded_computation(c, number);
    case 5:
        return jump_by(0, far); /* C.J */
    case 6:
        return branch_by(0x63, 8 + (c >> 7 & 7), near); /* C.BEQZ */
    default:
        return branch_by(0x1063, 8 + (c >> 7 & 7), near); /* C.BNEZ */
    }
}

/* The third quadrant: any register, and the stack. */
static uint32_t expanded_register(uint16_t c) {
    const uint32_t d = c >> 7 & 31, b = c >> 2 & 31;
    const bool is_second = (c & 0x1000) != 0;
    switch (c >> 13) {
    case 0:
        return is_second ? 0 : with_number(0x1013, d, d, b); /* C.SLLI */
    case 2:
        return with_number(0x2003, d, 2, field(c, 12, 12, 5) | field(c, 6, 4, 2) | field(c, 3, 2, 6)); /* C.LWSP */
    case 4:
        if (b != 0) {
            return of_two(0x33, d, is_second ? d : 0, b); /* C.ADD, C.MV */
        }
        return d != 0 ? with_number(0x67, is_second, d, 0) : is_second ? 0x00100073 : 0; /* C.JALR, C.JR, C.EBREAK */
    case 6:
        return store_to(2, b, field(c, 12, 9, 2) | field(c, 8, 7, 6)); /* C.SWSP */
    default:
        return 0;
    }
}

static uint32_t expanded(uint16_t c) {
    static uint32_t (*const quadrants[])(uint16_t) = {expanded_access, expanded_number, expanded_register};
    return quadrants[c & 3](c);
}

#endif
