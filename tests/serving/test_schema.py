"""The OpenAPI document holds: schemathesis makes requests of it, right ones and wrong ones."""

from __future__ import annotations

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import load_all_checks, not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

load_all_checks()

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
def test_no_answer_is_undocumented(server: str, mode: GenerationMode) -> None:
    schema = schemathesis.openapi.from_url(f"{server}/openapi.json")
    tried = 0
    for found in schema.get_all_operations():
        operation = found.ok()
        if mode.is_negative and not (operation.body or operation.query):
            continue  # nothing that could be wrong

        @given(operation.as_strategy(generation_mode=mode))
        @settings(
            max_examples=15,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
        )
        def check(case: schemathesis.Case) -> None:
            case.call_and_validate(checks=CHECKS, timeout=60)

        check()
        tried += 1
    assert tried >= 4


def test_the_page_of_the_api_is_our_own(client: httpx.Client) -> None:
    page = client.get("/docs", follow_redirects=True)
    assert page.url.path == "/docs/"
    page = page.text
    assert 'spec-url="/openapi.json"' in page
    assert "//" not in page.replace("/>", "")
    script = client.get("/docs/rapidoc-min.js")
    assert script.status_code == 200
    assert "javascript" in script.headers["content-type"]
