"""The targets, as generate/target_table.py writes them: do not edit."""

TARGETS = {
    "atmega1284p": struct(
        architecture = "avr",
        machine_flags = ["-mrelax", "-mmcu=atmega1284p"],
        prefix = "avr-",
    ),
    "atmega168": struct(
        architecture = "avr",
        machine_flags = ["-mrelax", "-mmcu=atmega168"],
        prefix = "avr-",
    ),
    "atmega2560": struct(
        architecture = "avr",
        machine_flags = ["-mrelax", "-mmcu=atmega2560"],
        prefix = "avr-",
    ),
    "atmega328": struct(
        architecture = "avr",
        machine_flags = ["-mrelax", "-mmcu=atmega328p"],
        prefix = "avr-",
    ),
    "atmega32u4": struct(
        architecture = "avr",
        machine_flags = ["-mrelax", "-mmcu=atmega32u4"],
        prefix = "avr-",
    ),
    "atsamv71": struct(
        architecture = "arm",
        machine_flags = ["-mthumb", "-mcpu=cortex-m7", "-mfpu=fpv5-d16", "-mfloat-abi=hard"],
        prefix = "arm-none-eabi-",
    ),
    "esp32": struct(
        architecture = "xtensa",
        machine_flags = [],
        prefix = "xtensa-esp32-elf-",
    ),
    "esp32c3": struct(
        architecture = "riscv",
        machine_flags = ["-mno-save-restore", "-march=rv32imc", "-mabi=ilp32"],
        prefix = "riscv64-unknown-elf-",
    ),
    "esp8266": struct(
        architecture = "xtensa",
        machine_flags = ["-mforce-l32"],
        prefix = "xtensa-lx106-elf-",
    ),
    "gd32vf103": struct(
        architecture = "riscv",
        machine_flags = ["-mno-save-restore", "-march=rv32imc", "-mabi=ilp32"],
        prefix = "riscv64-unknown-elf-",
    ),
    "host": struct(
        architecture = "host",
        machine_flags = [],
        prefix = "",
    ),
    "lm3s6965": struct(
        architecture = "arm",
        machine_flags = ["-mthumb", "-mcpu=cortex-m3"],
        prefix = "arm-none-eabi-",
    ),
    "mps2_an505": struct(
        architecture = "arm",
        machine_flags = ["-mthumb", "-mcpu=cortex-m33+nofp"],
        prefix = "arm-none-eabi-",
    ),
    "mps3_an547": struct(
        architecture = "arm",
        machine_flags = ["-mthumb", "-mcpu=cortex-m55", "-mfloat-abi=hard"],
        prefix = "arm-none-eabi-",
    ),
    "nrf51": struct(
        architecture = "arm",
        machine_flags = ["-mthumb", "-mcpu=cortex-m0"],
        prefix = "arm-none-eabi-",
    ),
    "nrf52832": struct(
        architecture = "arm",
        machine_flags = ["-mthumb", "-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"],
        prefix = "arm-none-eabi-",
    ),
    "nrf52833": struct(
        architecture = "arm",
        machine_flags = ["-mthumb", "-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"],
        prefix = "arm-none-eabi-",
    ),
    "nrf52840": struct(
        architecture = "arm",
        machine_flags = ["-mthumb", "-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"],
        prefix = "arm-none-eabi-",
    ),
    "nrf5340": struct(
        architecture = "arm",
        machine_flags = ["-mthumb", "-mcpu=cortex-m33", "-mfpu=fpv5-sp-d16", "-mfloat-abi=hard"],
        prefix = "arm-none-eabi-",
    ),
    "nrf5340_network": struct(
        architecture = "arm",
        machine_flags = ["-mthumb", "-mcpu=cortex-m33+nodsp+nofp"],
        prefix = "arm-none-eabi-",
    ),
    "riscv32imc": struct(
        architecture = "riscv",
        machine_flags = ["-mno-save-restore", "-march=rv32imc", "-mabi=ilp32"],
        prefix = "riscv64-unknown-elf-",
    ),
    "riscv32imcb": struct(
        architecture = "riscv",
        machine_flags = ["-mno-save-restore", "-march=rv32imc_zba_zbb", "-mabi=ilp32"],
        prefix = "riscv64-unknown-elf-",
    ),
    "rp2040": struct(
        architecture = "arm",
        machine_flags = ["-mthumb", "-mcpu=cortex-m0plus"],
        prefix = "arm-none-eabi-",
    ),
    "rp2350": struct(
        architecture = "arm",
        machine_flags = ["-mthumb", "-mcpu=cortex-m33", "-mfpu=fpv5-sp-d16", "-mfloat-abi=hard"],
        prefix = "arm-none-eabi-",
    ),
    "samd21": struct(
        architecture = "arm",
        machine_flags = ["-mthumb", "-mcpu=cortex-m0plus"],
        prefix = "arm-none-eabi-",
    ),
    "stm32f072": struct(
        architecture = "arm",
        machine_flags = ["-mthumb", "-mcpu=cortex-m0"],
        prefix = "arm-none-eabi-",
    ),
    "stm32f103": struct(
        architecture = "arm",
        machine_flags = ["-mthumb", "-mcpu=cortex-m3"],
        prefix = "arm-none-eabi-",
    ),
    "stm32f303": struct(
        architecture = "arm",
        machine_flags = ["-mthumb", "-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"],
        prefix = "arm-none-eabi-",
    ),
    "stm32f405": struct(
        architecture = "arm",
        machine_flags = ["-mthumb", "-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"],
        prefix = "arm-none-eabi-",
    ),
    "stm32f411": struct(
        architecture = "arm",
        machine_flags = ["-mthumb", "-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"],
        prefix = "arm-none-eabi-",
    ),
    "stm32f746": struct(
        architecture = "arm",
        machine_flags = ["-mthumb", "-mcpu=cortex-m7", "-mfpu=fpv5-sp-d16", "-mfloat-abi=hard"],
        prefix = "arm-none-eabi-",
    ),
    "stm32g071": struct(
        architecture = "arm",
        machine_flags = ["-mthumb", "-mcpu=cortex-m0plus"],
        prefix = "arm-none-eabi-",
    ),
    "stm32g474": struct(
        architecture = "arm",
        machine_flags = ["-mthumb", "-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"],
        prefix = "arm-none-eabi-",
    ),
    "stm32h743": struct(
        architecture = "arm",
        machine_flags = ["-mthumb", "-mcpu=cortex-m7", "-mfpu=fpv5-d16", "-mfloat-abi=hard"],
        prefix = "arm-none-eabi-",
    ),
    "stm32l053": struct(
        architecture = "arm",
        machine_flags = ["-mthumb", "-mcpu=cortex-m0plus"],
        prefix = "arm-none-eabi-",
    ),
    "stm32l476": struct(
        architecture = "arm",
        machine_flags = ["-mthumb", "-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"],
        prefix = "arm-none-eabi-",
    ),
    "xtensa_lx6": struct(
        architecture = "xtensa",
        machine_flags = [],
        prefix = "xtensa-lx6-",
    ),
}
