"""A firmware whose main() is Rust without std, around a crate that the command makes: cargo builds
it for a bare Cortex-M, and QEMU runs it with the part's own startup code and linker script."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import ZooModel
from tests.package.rust_builds import RUSTC, Package, cargo, workspace
from tests.support.hand_written import CACHE, target_or_skip
from tests.support.images import object_of
from tests.support.kept_objects import place
from tests.support.tflm import tflm_outputs
from tinyml_rules.firmware.image import Image
from tinyml_rules.firmware.support import link_memory, support_sources
from tinyml_rules.runners import run_image
from tinyml_rules.system.process import run_tool
from tinyml_rules.target.target import Target

TRIPLE = "thumbv6m-none-eabi"
SAMPLES = 3
MAIN = """\
#![no_std]

use core::panic::PanicInfo;
use kws::Model;

extern "C" {
    fn tinyml_port_read(buffer: *mut u8, size: usize) -> bool;
    fn tinyml_port_write(buffer: *const u8, size: usize);
    fn tinyml_port_exit(status: i32) -> !;
}

#[panic_handler]
fn panicked(_: &PanicInfo<'_>) -> ! {
    unsafe { tinyml_port_exit(1) }
}

/// Where the runner stops to count.
#[no_mangle]
#[inline(never)]
pub extern "C" fn tinyml_mark() {
    unsafe { core::ptr::read_volatile(&0) };
}

static mut MODEL: Model = Model::new();

#[no_mangle]
pub extern "C" fn main() -> ! {
    let model = unsafe { &mut *core::ptr::addr_of_mut!(MODEL) };
    loop {
        let input = model.input();
        if !unsafe { tinyml_port_read(input.as_mut_ptr().cast(), input.len()) } {
            unsafe { tinyml_port_exit(0) };
        }
        let outputs = model.invoke();
        tinyml_mark();
        let values = outputs.output();
        unsafe { tinyml_port_write(values.as_ptr().cast(), values.len()) };
    }
}
"""
STUB = """\
#![feature(compiler_builtins)]
#![compiler_builtins]
#![no_std]
"""
"""Debian has no sources of this crate; what it holds is taken from libgcc and the C library."""


def sysroot(triple: str, folder: Path) -> Path:
    """A folder with `core` for a bare part, of the sources in Debian's rust-src: built once."""
    source = Path("/usr/lib/rustlib/src/rust/library/core/src/lib.rs")
    version = subprocess.run([RUSTC, "--version"], capture_output=True, text=True, check=True)
    key = "-".join(version.stdout.split()[1:2])
    kept = place() / "rust" / f"libcore-{key}-{triple}.rlib"
    libraries = folder / "lib" / "rustlib" / triple / "lib"
    libraries.mkdir(parents=True)
    words = [RUSTC, "--edition=2021", "--crate-type=rlib", "--target", triple, "-Cpanic=abort"]
    words = ["env", "RUSTC_BOOTSTRAP=1", *words, "-Copt-level=0", "-Cembed-bitcode=no"]
    if not kept.is_file():
        kept.parent.mkdir(parents=True, exist_ok=True)
        draft = folder / "libcore.rlib"
        run_tool([*words, "--crate-name=core", "-o", str(draft), str(source)], where="core")
        draft.replace(kept)
    (libraries / "libcore.rlib").write_bytes(kept.read_bytes())
    (folder / "stub.rs").write_text(STUB)
    builtins = libraries / "libcompiler_builtins.rlib"
    stub = ["--crate-name=compiler_builtins", "--sysroot", str(folder), "-o", str(builtins)]
    run_tool([*words, *stub, str(folder / "stub.rs")], where="stub")
    return folder


def linked(target: Target, archive: Path, folder: Path) -> Image:
    """With what every test image of the part has, which calls main()."""
    objects = [object_of(target, each, folder) for each in support_sources(target, kind="test")]
    image = Image(
        name="kws",
        invoke_symbol="kws_invoke",
        kind="test",
        elf=folder / "kws.elf",
        map_file=folder / "kws.map",
        objects=(*objects, archive),
        model_objects=(),
    )
    command = target.toolchain.link_command(
        image.objects,
        image.elf,
        map_file=image.map_file,
        memory=link_memory(target, image.kind),
        variables_bytes=None,
    )
    # libgcc's division by zero, which `core` calls, says nothing of the stack
    run_tool([*command, "-Wl,-z,noexecstack"], where=image.name)
    return image


@pytest.mark.parametrize(("part", "triple"), [("nrf51", TRIPLE)])
def test_firmware(part: str, triple: str, zoo_model: ZooModel, tmp_path: Path) -> None:
    """Keywords on a Cortex-M0: TFLM's bytes."""
    target, model = target_or_skip(part), zoo_model("kws")
    folder = workspace(tmp_path / "crates", [Package("kws", model, part)], {})
    own = folder / "programs"
    (own / "src" / "main.rs").unlink()
    (own / "src" / "lib.rs").write_text(MAIN)
    with (own / "Cargo.toml").open("a") as file:
        file.write('[lib]\ncrate-type = ["staticlib"]\n')
    flags = f"-Dwarnings --sysroot {sysroot(triple, tmp_path / 'sysroot')}"
    words = ("build", "--release", "-p", "programs", "--target", triple)
    cargo(folder, *words, variables={"RUSTFLAGS": flags})
    archive = folder / "target" / triple / "release" / "libprograms.a"
    image = linked(target, archive, tmp_path)
    samples = np.random.default_rng(1).integers(-128, 128, (SAMPLES, 1, 49, 10, 1)).astype(np.int8)
    result = run_image(
        target, image, samples.tobytes(), invoke_symbol="kws_invoke", timeout_s=120, cache=CACHE
    )
    (expected,) = tflm_outputs(model.read_bytes(), [samples])
    assert result.output == expected.tobytes()
