#include "one.c"
#include "other.c"
