"""C of a program that a runner may count in: its functions are called by one, and then a mark."""

from __future__ import annotations

from collections.abc import Iterable

INVOKE_SYMBOL = "counted_invoke"
FUNCTIONS = """\
/* The runner counts from the first instruction of counted_invoke to the first one of this. */
__attribute__((noinline)) void tinyml_mark(void);
void tinyml_mark(void)
{
    __asm__ volatile("" ::: "memory");
}

__attribute__((noinline, noclone)) void counted_invoke(void (*function)(void));
void counted_invoke(void (*function)(void))
{
    function();
}
"""


def main_of(functions: Iterable[str]) -> str:
    """The main() that calls them in order, and ends the program."""
    lines = [f"    counted_invoke({each});\n    tinyml_mark();" for each in functions]
    head = ["int main(void)", "{"]
    return "\n".join([*head, *lines, "    tinyml_port_exit(TINYML_EXIT_DONE);", "}", ""])
