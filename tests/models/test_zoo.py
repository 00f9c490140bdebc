"""Manifests and where files come from; nothing here needs the internet."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from models.zoo import OwnFile, RemoteFile, load_manifest, model_names, obtain
from tests.conftest import MODELS_FOLDER, ZooModel, ZooSample
from tinyml_rules.errors import ModelError, TinymlError, ToolError, UsageError

DATA = b"a model"
SHA256 = hashlib.sha256(DATA).hexdigest()
URL = "https://example.org/a.tflite"
HEAD = 'description = "d"\nlicence = "l"\n'
REMOTE = f'url = "{URL}"\nsha256 = "{SHA256}"\n'
NOBODY_LISTENS = "https://127.0.0.1:9/a.tflite"


def write_manifest(folder: Path, text: str, *, name: str = "thing") -> None:
    """A models folder with one model."""
    (folder / name).mkdir()
    (folder / name / "model.toml").write_text(text, encoding="utf-8")


def remote(url: str = URL, *, sha256: str = SHA256) -> RemoteFile:
    """The entry of a file called a.tflite."""
    return RemoteFile("a.tflite", url, sha256)


def test_every_manifest_of_the_project_is_right() -> None:
    """They load, their own files exist and every sample has one of the labels."""
    manifests = [load_manifest(MODELS_FOLDER, name) for name in model_names(MODELS_FOLDER)]
    assert {"sine", "speech", "person_detect", "kws", "ad"} <= {each.name for each in manifests}
    for each in manifests:
        assert each.description
        assert each.licence
        assert not isinstance(each.model, OwnFile) or each.model.path.is_file()


@pytest.mark.parametrize("name", model_names(MODELS_FOLDER))
def test_every_file_has_its_hash(name: str, zoo_model: ZooModel, zoo_sample: ZooSample) -> None:
    """Models and samples, from the mirror or from the internet."""
    assert zoo_model(name).is_file()
    for sample in load_manifest(MODELS_FOLDER, name).demo.samples:
        assert zoo_sample(name, sample.file.name).is_file()


def test_unknown_model_hints_at_the_closest() -> None:
    """The error lists what there is."""
    with pytest.raises(UsageError, match=r"unknown model 'spech'.*kws.*speech") as caught:
        load_manifest(MODELS_FOLDER, "spech")
    assert caught.value.problems[0].hint == "did you mean 'speech'?"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("= 1", "not valid TOML"),
        (HEAD + REMOTE + "matrix = 1\n", "'matrix' is 1, expected a bool"),
        (REMOTE, "'description' is missing"),
        (HEAD, "'url' is missing"),
        (HEAD + f'url = "{URL}"\n', "'sha256' is missing"),
        (HEAD + "url = 1\n" + f'sha256 = "{SHA256}"\n', "'url' is 1, expected a str"),
        (HEAD + REMOTE + 'license = "l"\n', "unknown key 'license'"),
        (HEAD + REMOTE + 'file = "a.tflite"\n', "both 'file' and 'url'"),
        (HEAD + 'file = "../a.tflite"\n', "expected a file of the same folder"),
        (HEAD + REMOTE.replace("https", "gopher"), "expected the address of a file"),
        (HEAD + REMOTE.replace(SHA256, "12ab"), "expected 64 lower-case hex digits"),
        (HEAD + REMOTE + "[demo]\nlabel = []\n", "unknown key 'demo.label'"),
        (HEAD + REMOTE + "demo = 3\n", "'demo' is 3, expected a table"),
        (HEAD + REMOTE + "[demo]\nvalues = [true]\n", "expected a list of floats"),
        (HEAD + REMOTE + '[demo]\nreference = "sine"\n', "expected a function of Python's math"),
        (HEAD + REMOTE + "sample = [1]\n", "expected a list of dicts"),
        (HEAD + REMOTE + "[[sample]]\nname = 1\n", "unknown key 'sample.name'"),
        (
            HEAD + REMOTE + f'[[sample]]\n{REMOTE}label = "yes"\n[demo]\nlabels = ["no"]\n',
            "label is 'yes', expected one of demo.labels",
        ),
    ],
)
def test_wrong_manifest(text: str, message: str, tmp_path: Path) -> None:
    """Each mistake is named, with the file that it is in."""
    write_manifest(tmp_path, text)
    with pytest.raises(ModelError) as caught:
        load_manifest(tmp_path, "thing")
    assert message in caught.value.problems[0].what
    assert caught.value.problems[0].where == str(tmp_path / "thing" / "model.toml")


def test_own_file(tmp_path: Path) -> None:
    """It is found beside its manifest, and missed with an error."""
    write_manifest(tmp_path, HEAD + 'file = "mine.tflite"\n')
    entry = load_manifest(tmp_path, "thing").model
    with pytest.raises(ModelError, match=r"mine\.tflite: error: no such file"):
        obtain(entry, mirror=None, cache=tmp_path)
    (tmp_path / "thing" / "mine.tflite").write_bytes(DATA)
    assert obtain(entry, mirror=None, cache=tmp_path) == tmp_path / "thing" / "mine.tflite"


def test_a_mirror_calls_a_model_by_its_name(tmp_path: Path) -> None:
    """And nothing is fetched or copied."""
    write_manifest(tmp_path, HEAD + REMOTE)
    mirrored = tmp_path / "thing.tflite"
    mirrored.write_bytes(DATA)
    entry = load_manifest(tmp_path, "thing").model
    assert obtain(entry, mirror=tmp_path, cache=tmp_path / "cache") == mirrored
    assert not (tmp_path / "cache").exists()


def test_mirror_without_the_file(tmp_path: Path) -> None:
    """An error that names the file, not a download behind the user's back."""
    with pytest.raises(UsageError, match=r"a\.tflite: error: no such file"):
        obtain(remote(), mirror=tmp_path, cache=tmp_path)


def test_mirror_with_another_file(tmp_path: Path) -> None:
    """The error shows the file and both hashes."""
    (tmp_path / "a.tflite").write_bytes(b"another model")
    with pytest.raises(ModelError) as caught:
        obtain(remote(), mirror=tmp_path, cache=tmp_path)
    found = hashlib.sha256(b"another model").hexdigest()
    assert str(caught.value) == (
        f"{tmp_path / 'a.tflite'}: error: SHA-256 is {found}, expected {SHA256}"
    )


@pytest.mark.parametrize("stale", [None, b"an older model"])
def test_download_into_the_cache(stale: bytes | None, tmp_path: Path) -> None:
    """Once: what is in the cache is used again, unless it is not what is asked for."""
    source, cache = tmp_path / "source.tflite", tmp_path / "deep" / "cache"
    source.write_bytes(DATA)
    if stale is not None:
        cache.mkdir(parents=True)
        (cache / "a.tflite").write_bytes(stale)
    entry = remote(source.as_uri())
    path = obtain(entry, mirror=None, cache=cache)
    assert (path, path.read_bytes()) == (cache / "a.tflite", DATA)
    source.unlink()
    assert obtain(entry, mirror=None, cache=cache) == path
    assert list(cache.iterdir()) == [path]


def test_download_of_another_file(tmp_path: Path) -> None:
    """Nothing is kept of it."""
    source, cache = tmp_path / "source.tflite", tmp_path / "cache"
    source.write_bytes(b"another model")
    with pytest.raises(ModelError, match=f"source.tflite: error: SHA-256 is .* expected {SHA256}"):
        obtain(remote(source.as_uri()), mirror=None, cache=cache)
    assert not cache.exists()


@pytest.mark.parametrize("url", [NOBODY_LISTENS, "file:///no/such/file.tflite"])
def test_download_fails(url: str, tmp_path: Path) -> None:
    """Offline: the error says what to do instead."""
    with pytest.raises(ToolError, match="download failed") as caught:
        obtain(remote(url), mirror=None, cache=tmp_path / "cache")
    assert caught.value.problems[0].where == url
    assert str(tmp_path / "cache" / "a.tflite") in caught.value.problems[0].hint
    assert not (tmp_path / "cache").exists()


def test_cache_that_cannot_be_written(tmp_path: Path) -> None:
    """An error instead of a traceback."""
    (tmp_path / "cache").write_text("a file, no folder")
    source = tmp_path / "source.tflite"
    source.write_bytes(DATA)
    with pytest.raises(TinymlError, match="cannot be written"):
        obtain(remote(source.as_uri()), mirror=None, cache=tmp_path / "cache")
