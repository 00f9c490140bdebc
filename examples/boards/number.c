/* Numbers as text, without the C library's printf. */
#include "board.h"

void board_print_number(int number)
{
    char text[8];
    char *end = text + sizeof text - 1;
    unsigned rest = (unsigned)(number < 0 ? -number : number);

    *end = '\0';
    do {
        *--end = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (number < 0) {
        *--end = '-';
    }
    board_print(end);
}
