"""`python -m proofs kernels [all=yes] [docs=yes] [operators=NAME,..] [KERNEL ...]`,
`python -m proofs model=NAME,.. [models=DIR] [optimize=layers] [docs=yes]`, and
`python -m proofs list`: every portable kernel."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from models.zoo import load_manifest, obtain
from proofs import model_record, record, table
from proofs.frama_c import Proof
from proofs.kernels import Proved, prove_all
from proofs.models import annotated_model, prove_files
from proofs.taken import each_once, relied_on, taken
from proofs.units import Unit, portable_kernels, units
from tinyml_rules.lower.choice import Optimize

_ROOT = Path(__file__).parents[1]


def main(arguments: Sequence[str]) -> int:
    """Prints what is proved; 1 where a goal is open that is not recorded."""
    options = dict(word.split("=", 1) for word in arguments if "=" in word)
    words = [word for word in arguments if "=" not in word]
    if "model" in options:
        return _models(options["model"].split(","), options)
    if words[:1] == ["list"]:
        for name, kernel in sorted(portable_kernels().items()):
            print(name, kernel.form.value, "none" if kernel.contract is None else "contract")
        return 0
    wanted = set(words[1:])
    is_complete = not wanted and "operators" not in options
    if not wanted and options.get("all") != "yes":
        wanted = set(record.proved_before())
    proved = []
    operators = tuple(filter(None, options.get("operators", "").split(",")))
    for each in prove_all(_wanted(operators, wanted)):
        print(_line(each), flush=True)
        proved.append(each)
    new = record.unknown(proved)
    if options.get("docs") == "yes":
        record.remember(proved, is_complete=is_complete)
        table.write(portable_kernels())
    seconds = sum(each.proof.seconds for each in proved)
    goals = sum(len(each.proof.goals) for each in proved)
    print(f"{goals - sum(len(e.proof.opened) for e in proved)} of {goals} goals, {seconds:.0f} s")
    return _failed(new)


def _wanted(operators: Sequence[str], names: Collection[str]) -> list[Unit]:
    """Those with a contract, of the names if there are any."""
    return [unit for unit in units(operators) if not names or unit.name in names]


def _models(names: Sequence[str], options: Mapping[str, str]) -> int:
    """Files, or models of the zoo; what several have in the same words is proved once."""
    optimize = Optimize(options.get("optimize", "balanced"))
    models = {name: annotated_model(_file(name, options).read_bytes(), optimize) for name in names}
    units = {name: relied_on(each.files) for name, each in models.items()}
    proved = []
    for one in prove_all(each_once([unit for each in units.values() for unit in each])):
        print(_line(one), flush=True)
        proved.append(one)
    opened = [f"{each.name}: {goal}" for each in proved for goal in each.proof.opened]
    for name, compiled in models.items():
        print(f"{name}: EVA takes by contract: {', '.join(taken(units[name])) or 'nothing'}")
        with_facts = ", ".join(unit.name for unit in units[name] if unit.has_facts)
        print(f"{name}: EVA takes assertions of: {with_facts or 'nothing'}", flush=True)
        found = prove_files(compiled.files, compiled.interface, units[name])
        told = f"{len(found.opened)} alarms by EVA, {found.proved} properties of its functions hold"
        print(f"{name}: {told}, {found.seconds:.1f} s", flush=True)
        opened += found.opened
        if options.get("docs") == "yes":
            model_record.remember(_record(name, units[name], proved, found))
            table.write_models()
    return _failed(opened)


def _file(name: str, options: Mapping[str, str]) -> Path:
    if name.endswith(".tflite"):
        return Path(name)
    manifest = load_manifest(_ROOT / "models", name)
    folder = Path(options["models"]) if "models" in options else None
    return obtain(manifest.model, mirror=folder, cache=_ROOT / "build" / "models")


def _record(
    name: str, units: Sequence[Unit], proved: Sequence[Proved], found: Proof
) -> model_record.ModelRecord:
    names = {unit.name for unit in units}
    own = [each.proof for each in proved if each.name in names or each.form == "lemma"]
    return model_record.ModelRecord(
        name,
        len(taken(units)),
        sum(each.proved for each in own),
        round(sum(each.seconds for each in own), 1),
        len(found.opened),
        found.proved,
        round(found.seconds, 1),
    )


def _failed(opened: Sequence[str]) -> int:
    for each in opened:
        print(f"open: {each}", file=sys.stderr)
    return 1 if opened else 0


def _line(proved: Proved) -> str:
    proof = proved.proof
    text = (
        f"{proved.name}: {proof.proved}/{len(proof.goals)} by {proved.tool}, {proof.seconds:.1f} s"
    )
    return f"{text}, open: {', '.join(proof.opened)}" if proof.opened else text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
