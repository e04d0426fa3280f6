"""What Schemathesis has to know beyond the document, because OpenAPI has no words for it."""

import atexit
import itertools
import os
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
    give_key_of_its_own(case)
    wait_briefly(case)
    name_what_there_is(case)


def give_key_of_its_own(case):
    """Under an idempotency key that was used before nothing else is looked at."""
    key = (case.headers or {}).get("Idempotency-Key")
    declared = case.operation.definition.raw.get("parameters", [])
    for parameter in declared:
        if parameter.get("name") == "Idempotency-Key" and key and re.search(parameter["schema"]["pattern"], key):
            case.headers["Idempotency-Key"] = f"fuzz-{next(requests)}"


def wait_briefly(case):
    """A long poll may wait for a minute where nothing happens."""
    wait = str((case.query or {}).get("wait", ""))
    if case.path == "/changes.{format}" and re.fullmatch(r"\d{1,2}", wait) and 1 < int(wait) <= 60:
        case.query["wait"] = 1


uuid = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
turns = itertools.count()
# What the parameters of a path may name together, the latest last.
there_are = {("ticket_id",): [], ("ticket_id", "reply_id"): [], ("field_id",): [], ("ticket_id", "other_id"): []}


def name_what_there_is(case):
    """No schema knows which ids there are; every other request gets some that are, unless it is to have a bad one."""
    given = {name: value for name, value in (case.path_parameters or {}).items() if name != "format"}
    latest = there_are.get(tuple(given), [])[-2:]
    if not latest or next(turns) % 2 or not all(uuid.fullmatch(str(value)) for value in given.values()):
        return
    case.path_parameters.update(zip(given, latest[-1]))
    is_link = case.path == "/ticket/{ticket_id}/links.{format}" and isinstance(case.body, dict) and len(latest) == 2
    if is_link and uuid.fullmatch(str(case.body.get("ticket_id"))):
        case.body["ticket_id"] = latest[0][0]


def remember(case, response):
    """What was made, or deleted but can be restored."""
    ids = [match.group() for match in uuid.finditer(response.text)]
    match case.operation.label, response.status_code:
        case "POST /tickets.{format}", 201:
            there_are["ticket_id",].append(ids[:1])
        case "POST /ticket/{ticket_id}/replies.{format}", 201:
            there_are["ticket_id", "reply_id"].append([ids[1], ids[0]])
        case "POST /ticket_fields.{format}", 201:
            there_are["field_id",].append(ids[:1])
        case "POST /ticket/{ticket_id}/links.{format}", 200:
            other = re.search(r'(?:"links":.*?"ticket_id":"|<links>.*?<ticket_id>)([-0-9a-f]+)', response.text)
            there_are["ticket_id", "other_id"].append([ids[0], other.group(1)])


def schemas_of(operation):
    return operation.schema.raw_schema["components"]["schemas"]


accepted = Counter()


@schemathesis.hook
def after_call(context, case, response):
    accepted[case.operation.label] += response.status_code < 300
    remember(case, response)


@atexit.register
def tell_accepted():
    """An operation that never got anything right was not tested, for then nothing of it can be found to be wrong."""
    is_all_allowed = os.environ["API_ROLE"] == "admin"
    for label, count in sorted(accepted.items()):
        print(f"{'NEVER ACCEPTED' if is_all_allowed and not count else 'Accepted'}: {label} {count}")


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Drops what the document cannot say, and nothing else."""
    if case.method == "OPTIONS":  # it tells the methods of a path, whatever the path names
        return failure.code not in {"ST201", "ST301"}
    if failure.code == "ST202":
        return not is_refused_for_its_state(case, response)
    if failure.code == "ST201":
        return not (looks_valid_on_the_wire(case) or has_list_under_its_form_name(case, failure))
    return True


def is_refused_for_its_state(case, response):
    if case.method == "HEAD":
        return bool(stateful_parameters & (case.query or {}).keys())
    if "of the ticket" in response.text:  # which may have most of what it can have already
        return response.status_code == 400
    if "duplicate_field" in response.text:  # the names tags and tags[] of a form are one
        return case.media_type == "application/x-www-form-urlencoded"
    faults = re.findall(r'(?:"field":"|<field>)([^"<]+)(?:","code":"|</field><code>)([^"<]+)', response.text)
    is_of_state = [code == "read_only" or stateful_fault.fullmatch(field) for field, code in faults]
    return response.status_code == 400 and bool(faults) and all(is_of_state)


# A cursor is only good for its list and a position for its feed; relevance and highlights go with a search.
stateful_parameters = {"cursor", "since", "sort", "highlight"}
# People and tickets have the ids that they have, and a patch of a person needs one to be there; custom fields hold what
# administrators have defined; nobody is copied twice, by whatever id or name; only some types have options, and only what
# customers see can be theirs to edit. What is read-only is only taken as it was read.
stateful_fault = re.compile(
    r"cursor|since|sort|highlight|(requester|assignee|author|(cc|followers)\[\d+\])\.(id|email)|cc|followers|ticket_id|follow_up_of"
    r"|(created|updated|first_replied|solved|closed|deleted)_at|custom_fields.*|options(\[\d+\])?|editable_by_customers"
)


def looks_valid_on_the_wire(case):
    """XML has texts only, so that true and 1 are texts there. A form has nothing else: null is text too, and one text as
    tags[]=… is a list of one."""
    if case.media_type in ("application/xml", "text/xml"):
        return has_other_scalar_for_text(case)
    if case.media_type != "application/x-www-form-urlencoded" or not isinstance(case.body, dict):
        return False
    members = [(name, value) for name, value in case.body.items() if not isinstance(value, list)]
    return any(name.endswith("[]") or not isinstance(value, (str, dict)) for name, value in members)


def has_list_under_its_form_name(case, failure):
    """Schemathesis takes the brackets off the name of a list, and then misses tags where tags[] is."""
    missing = re.search(r"Missing required property: (\w+)", failure.message)
    return bool(missing) and isinstance(case.body, dict) and f"{missing.group(1)}[]" in case.body


def has_other_scalar_for_text(case):
    body = case.operation.get_body_for_media_type(case.media_type)
    properties = schemas_of(case.operation)[body.resource_name].get("properties", {})
    given = case.body.items() if isinstance(case.body, dict) else ()
    return any(
        isinstance(value, (bool, int, float)) and "string" in properties.get(name, {}).get("type", ()) for name, value in given
    )
