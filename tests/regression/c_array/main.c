#include "kws.h"

int other(void);

int main(void)
{
    kws_invoke();
    return other();
}
