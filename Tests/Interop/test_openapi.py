"""The description of the API: schemathesis makes requests of it, and every answer must be in it."""
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from openapi_spec_validator import validate
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi import checks

EXAMPLES = 25
PROBES = {"idToken": "a client's", "refreshToken": "a client's"}
# Its stream does not end by itself.
ENDLESS = {"/v1/documents:listen"}


def flat(description: dict) -> dict:
    """The same description with each path where its last server has it, since schemathesis looks at one server only."""
    paths = {}
    for path, item in description["paths"].items():
        servers = item.pop("servers", description["servers"])
        paths[servers[-1]["url"].rstrip("/") + path] = item
    return description | {"paths": paths, "servers": [{"url": "/"}]}


@pytest.fixture
def description(server):
    return server.get("/openapi.json")


def test_it_is_valid(description):
    validate(description)


def caller(operation, guest: dict, as_administrator: bool) -> tuple[dict, dict]:
    """Headers and query of a caller who may make the call."""
    schemes = {name for scheme in operation.definition.raw.get("security", []) for name in scheme}
    if "idToken" in schemes:
        return {"Authorization": f"Bearer {guest['idToken']}"}, {}
    if schemes == {"administrator"} or (as_administrator and "administrator" in schemes):
        return {"Authorization": "Bearer owner"}, {}
    return {}, {"key": "any"} if schemes else {}


def is_for_both(operation) -> bool:
    """Whether administrators make the call in another way than clients, rather than one of the two alone."""
    guest = {"idToken": ""}
    return caller(operation, guest, True) != caller(operation, guest, False)


def try_operation(server, operation, as_administrator: bool):
    guest = server.call("accounts:signUp", {})
    headers, query = caller(operation, guest, as_administrator)

    @given(case=operation.as_strategy())
    @settings(max_examples=EXAMPLES, deadline=None, derandomize=True, database=None,
              suppress_health_check=list(HealthCheck))
    def run(case):
        if isinstance(case.body, dict):
            # Now and then what only the server can have made, so that more than the refusal of nonsense is tried.
            for name in PROBES:
                if isinstance(case.body.get(name), str) and len(case.body[name]) % 2:
                    case.body[name] = guest[name]
        response = case.call(base_url=server.url, headers=headers, params=query, timeout=15)
        assert response.status_code < 500 or response.status_code in (501, 503), response.text
        assert response.status_code != 503, response.text
        case.validate_response(response, checks=[
            checks.status_code_conformance, checks.content_type_conformance, checks.response_schema_conformance])

    run()


@pytest.mark.parametrize("as_administrator", [False, True], ids=["clients", "administrators"])
def test_no_answer_is_outside_it(server, description, as_administrator):
    schema = schemathesis.openapi.from_dict(flat(description))
    failures, tried = [], 0
    for result in schema.get_all_operations():
        operation = result.ok()
        if operation.path in ENDLESS or as_administrator and not is_for_both(operation):
            continue
        tried += 1
        try:
            try_operation(server, operation, as_administrator)
        except (Exception, FailureGroup) as error:  # collected, so that one run tells all
            failures.append(f"{operation.method.upper()} {operation.path}: {type(error).__name__} {error}"[:1500])
    assert tried > (20 if as_administrator else 50)
    assert not failures, "\n\n".join(failures)
    assert not [line for line in server.output if "request.failed" in line]
