"""What Schemathesis has to know beyond the document, because OpenAPI has no words for it."""

import atexit
import itertools
import re
import sys
from collections import Counter
from pathlib import Path

import schemathesis

sys.path.insert(0, str(Path(__file__).parent))
from wire_xml import read_document, write_element  # noqa: E402


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
    # An exception would end the thread of Schemathesis without a failure; what is no object fails by its schema.
    try:
        return read_document(response.text, schemas_of(context.operation)) if response.text else None
    except Exception as err:
        return f"not readable: {err!r}"


requests = itertools.count()


@schemathesis.hook
def before_call(context, case, kwargs):
    """Gives every request an idempotency key of its own. Under one that was used before nothing else is looked at."""
    key = (case.headers or {}).get("Idempotency-Key")
    declared = case.operation.definition.raw.get("parameters", [])
    for parameter in declared:
        if parameter.get("name") == "Idempotency-Key" and key and re.search(parameter["schema"]["pattern"], key):
            case.headers["Idempotency-Key"] = f"fuzz-{next(requests)}"


def schemas_of(operation):
    return operation.schema.raw_schema["components"]["schemas"]


accepted = Counter()


@schemathesis.hook
def after_call(context, case, response):
    accepted[case.operation.label] += response.status_code < 300


@atexit.register
def tell_accepted():
    """An operation that never got anything right was not tested, for then nothing of it can be found to be wrong."""
    for label, count in sorted(accepted.items()):
        print(f"{'Accepted' if count else 'NEVER ACCEPTED'}: {label} {count}")


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Drops what the document cannot say, and nothing else."""
    if case.method == "OPTIONS":  # it tells the methods of a path, whatever the path names
        return failure.code not in {"ST201", "ST301"}
    if failure.code == "ST202":
        return not is_refused_for_its_state(case, response)
    if failure.code == "ST201":
        return not looks_valid_on_the_wire(case)
    return True


def is_refused_for_its_state(case, response):
    """A cursor is only good for the list that it comes from, and a patch of a person needs one to be there."""
    if case.method == "HEAD":
        return "cursor" in (case.query or {})
    faults = set(re.findall(r'(?:"field":"|<field>)([^"<]+)', response.text))
    known = {"GET": {"cursor"}, "PATCH": {"requester.email", "assignee.email"}}.get(case.method, set())
    return response.status_code == 400 and bool(faults) and faults <= known


def looks_valid_on_the_wire(case):
    """A form has texts only: null, true and 1 are texts there, and one text as tags[]=… is a list of one."""
    if case.media_type != "application/x-www-form-urlencoded" or not isinstance(case.body, dict):
        return False
    members = [(name, value) for name, value in case.body.items() if not isinstance(value, list)]
    return any(name.endswith("[]") or not isinstance(value, (str, dict)) for name, value in members)
