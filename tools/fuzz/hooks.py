"""Schemathesis hooks for aspects of the API that OpenAPI cannot describe."""

import atexit
import itertools
import os
import re
import sys
from collections import Counter
from pathlib import Path

import requests as python_requests
import schemathesis

sys.path.insert(0, str(Path(__file__).parent))
import world  # noqa: E402
from excuses import is_excused_acceptance, is_excused_refusal  # noqa: E402
from wire_xml import read_document, write_element  # noqa: E402

role = os.environ["API_ROLE"]


@schemathesis.serializer("application/xml", "text/xml")
def write_xml(context, value):
    if isinstance(value, (str, bytes)):
        return value if isinstance(value, bytes) else value.encode()
    operation = context.case.operation
    body = operation.get_body_for_media_type(context.case.media_type)
    schema = schemas_of(operation)[body.resource_name]
    return write_element(schema["xml"]["name"], value, schema).encode()


@schemathesis.deserializer("application/xml", "application/problem+xml")
def read_xml(context, response):
    # An exception would end the thread of Schemathesis without a failure; a string fails schema validation.
    try:
        return read_answer(context.operation, response.text)
    except Exception as err:
        return f"not readable: {err!r}"


def read_answer(operation, text):
    return read_document(text, answers_of(operation), schemas_of(operation)) if text else None


def answers_of(operation):
    """Returns the schemas of all responses of the operation."""
    components = operation.schema.raw_schema["components"]
    responses = operation.definition.raw["responses"].values()
    resolved = [components["responses"][each["$ref"].split("/")[-1]] if "$ref" in each else each for each in responses]
    media = [media for each in resolved for media in each.get("content", {}).values()]
    names = {each["schema"]["$ref"].split("/")[-1] for each in media if "$ref" in each["schema"]}
    return [components["schemas"][name] for name in names]


def schemas_of(operation):
    return operation.schema.raw_schema["components"]["schemas"]


requests = itertools.count()


@schemathesis.hook
def before_call(context, case, kwargs):
    give_key_of_its_own(case)
    wait_briefly(case)
    name_what_there_is(case)


def give_key_of_its_own(case):
    """Replaces idempotency keys, because the API checks nothing else when a key was used before."""
    key = (case.headers or {}).get("Idempotency-Key")
    declared = case.operation.definition.raw.get("parameters", [])
    for parameter in declared:
        if parameter.get("name") == "Idempotency-Key" and key and re.search(parameter["schema"]["pattern"], key):
            case.headers["Idempotency-Key"] = f"fuzz-{next(requests)}"


def wait_briefly(case):
    """Limits long polling, which may wait for a minute."""
    wait = str((case.query or {}).get("wait", ""))
    if case.path == "/changes.{format}" and re.fullmatch(r"\d{1,2}", wait) and 1 < int(wait) <= 60:
        case.query["wait"] = 1


uuid = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
turns = itertools.count()


def name_what_there_is(case):
    """Inserts existing ids, which no schema can provide, into every other request with a valid path."""
    names = tuple(re.findall(r"{(\w+_id)}", case.path))
    given = [str((case.path_parameters or {}).get(name)) for name in names]
    is_good = has_good_path(case) if names and names[0] in ("external_id", *world.KINDS) else all(map(uuid.fullmatch, given))
    if not names or next(turns) % 2 or not is_good:
        return
    case.path_parameters.update(world.make(names))
    body = case.body if isinstance(case.body, dict) else {}
    if case.path.endswith("/links.{format}") and uuid.fullmatch(str(body.get("ticket_id"))):
        body.update(world.make(("ticket_id",)))
    if case.path.endswith("/merge.{format}") and uuid.fullmatch(str(body.get("person_id"))):
        case.path_parameters["person_id"] = world.make_person()
        body["person_id"] = world.make_person()


def has_good_path(case):
    path = case.meta.components.get("path") if case.meta else None
    return path is None or path.mode.is_positive


accepted = Counter()
calls = itertools.count(1)
CALLS_BETWEEN_CHECKS = 100


@schemathesis.hook
def after_call(context, case, response):
    is_accepted = response.status_code < 300
    accepted[case.operation.label] += is_accepted
    if is_accepted and case.method not in ("GET", "HEAD", "OPTIONS") and world.is_of_definitions(case.path):
        world.relax_definitions()
        world.check_that_tickets_can_be_made()
    elif next(calls) % CALLS_BETWEEN_CHECKS == 0:
        world.check_that_tickets_can_be_made()


@atexit.register
def report():
    """Reports gaps of the run: operations without an accepted request were not tested, and when tickets cannot be created,
        every rejection has that reason."""
    if not accepted:
        return
    world.check_that_tickets_can_be_made()
    for label, count in sorted(accepted.items()):
        print(f"{'NEVER ACCEPTED' if world.is_admin and not count else 'Accepted'}: {label} {count}")
    for fault in world.faults[:20]:
        print(f"CANNOT BE MADE: {fault}")


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Ignores failures that the document cannot describe."""
    if case.method == "OPTIONS":  # it lists the methods of a path, even when the resource does not exist
        return failure.code not in {"ST201", "ST301"}
    if failure.code == "ST202":
        return not is_excused_refusal(case, response, read_problem(case, response), role, schemas_of(case.operation))
    if failure.code == "ST201":
        return not is_excused_acceptance(case, schemas_of(case.operation))
    return True


def read_problem(case, response):
    """Returns the problem of a response; for HEAD, that of the same GET."""
    if case.method == "HEAD":
        request = response.request
        response = python_requests.get(request.url, headers=request.headers, timeout=30)
        text, content_type = response.text, response.headers.get("Content-Type", "")
    else:
        text, content_type = response.text, (response.headers.get("content-type") or [""])[0]
    if "xml" not in content_type:
        return response.json() if text else None
    # Responses to HEAD have no bodies in the document; those to GET contain the same problems.
    schemas = schemas_of(case.operation)
    return read_document(text, [schemas["Problem"]], schemas)
