extern "C" int other(void)
{
    return 0;
}
