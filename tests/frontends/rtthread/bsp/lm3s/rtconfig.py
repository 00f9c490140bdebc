"""The board's toolchain: its own, in strings as RT-Thread has them, and nothing of tinyml_rules."""

import os

EXEC_PATH = os.environ["RTT_EXEC_PATH"]
_PART = "-mcpu=cortex-m3 -mthumb"
TOOLCHAIN = {
    "AR": "arm-none-eabi-ar",
    "CC": "arm-none-eabi-gcc",
    "CCFLAGS": f"{_PART} -O2 -Wall -Wextra -Werror -Wconversion -ffreestanding",
    "LINK": "arm-none-eabi-gcc",
    "LINKFLAGS": f"{_PART} -nostdlib -T link.ld",
}
