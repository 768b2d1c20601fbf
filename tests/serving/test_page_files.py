from __future__ import annotations

import re
from pathlib import Path

import pytest

import query2box.serving

SERVING = Path(query2box.serving.__file__).parent
PAGE = SERVING / "page"
FILES = sorted(str(path.relative_to(PAGE)) for path in PAGE.rglob("*.*"))


@pytest.mark.parametrize("name", FILES)
def test_every_file_is_served_under_the_policy(client, name) -> None:
    response = client.get(f"/{name}")
    assert response.status_code == 200
    assert response.content == (PAGE / name).read_bytes()
    policy = response.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    assert "unsafe" not in policy
    assert "http" not in policy
    assert response.headers["x-content-type-options"] == "nosniff"
    if name.endswith(".js"):
        assert response.headers["content-type"] == "text/javascript; charset=utf-8"


def test_the_page_is_at_the_root_and_nothing_above_it(client) -> None:
    assert client.get("/").text == (PAGE / "index.html").read_text("utf-8")
    assert client.get("/..%2fpage_files.py").status_code == 404
    assert client.get("/nothing.js").status_code == 404
    etag = client.get("/main.js").headers["etag"]
    assert client.get("/main.js", headers={"if-none-match": etag}).status_code == 304


def test_nothing_names_another_server() -> None:
    ours = [PAGE / name for name in FILES if not name.startswith("vendor/")]
    for path in ours:
        text = path.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://|//cdn|url\((?!#)", text.replace('"url(#tip)"', "")), path


def test_every_import_is_there() -> None:
    for path in PAGE.rglob("*.js"):
        for name in re.findall(
            r"""(?:from|import\()\s*["']([^"']+)["']""", path.read_text("utf-8")
        ):
            assert name.startswith("./"), (path, name)
            assert (path.parent / name).is_file(), (path, name)


def test_each_library_has_its_licence() -> None:
    vendor = PAGE / "vendor"
    told = vendor.joinpath("README.md").read_text("utf-8")
    for library in ("preact", "htm", "cytoscape"):
        assert library in told
        assert Path(vendor, f"LICENSE-{library}.txt").read_text("utf-8").strip()


def test_the_wheel_carries_the_files_and_their_licences() -> None:
    wheel = pytest.importorskip("hatchling.builders.wheel", reason="hatchling is not installed")
    source = SERVING.parents[1]
    builder = wheel.WheelBuilder(str(source.parent))
    packed = {file.distribution_path for file in builder.recurse_included_files()}
    served = [*PAGE.rglob("*.*"), *SERVING.joinpath("docs").rglob("*.*")]
    assert {str(path.relative_to(source)) for path in served} <= packed
