"""What Schemathesis has to know beyond the document, because OpenAPI has no words for it."""

import atexit
import itertools
import operator
import os
import re
import sys
from collections import Counter
from pathlib import Path

import requests as python_requests
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
        schemas = schemas_of(context.operation)
        return read_document(response.text, answers_of(context.operation), schemas) if response.text else None
    except Exception as err:
        return f"not readable: {err!r}"


def answers_of(operation):
    """The schemas of all that the operation may answer with."""
    components = operation.schema.raw_schema["components"]
    responses = operation.definition.raw["responses"].values()
    resolved = [components["responses"][each["$ref"].split("/")[-1]] if "$ref" in each else each for each in responses]
    media = [media for each in resolved for media in each.get("content", {}).values()]
    names = {each["schema"]["$ref"].split("/")[-1] for each in media if "$ref" in each["schema"]}
    return [components["schemas"][name] for name in names]


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


def name_what_there_is(case):
    """No schema knows which ids there are; every other request gets some that are, unless it is to have a bad one."""
    names = tuple(re.findall(r"{(\w+_id)}", case.path))
    given = [str((case.path_parameters or {}).get(name)) for name in names]
    if not names or next(turns) % 2 or not all(map(uuid.fullmatch, given)):
        return
    case.path_parameters.update(make(names))
    if case.path.endswith("/links.{format}") and isinstance(case.body, dict):
        if uuid.fullmatch(str(case.body.get("ticket_id"))):
            case.body.update(make(("ticket_id",)))


def make(names):
    """Something that parameters of these names can name; nothing where the role may not make it."""
    if names[0] == "field_id":
        return {"field_id": find_field() or post("/ticket_fields", key=f"made_{next(turns)}", title="Made", type="text")}
    if names[0] == "person_id":
        return {"person_id": (get("/me")["person"] or {}).get("id", nobody)}
    if names[0] != "ticket_id":
        return {}
    made = {"ticket_id": post("/tickets", subject="Made")}
    if "reply_id" in names:
        made["reply_id"] = post(f"/ticket/{made['ticket_id']}/replies", body="Made")
    if "other_id" in names:
        made["other_id"] = post("/tickets", subject="Made")
        post(f"/ticket/{made['ticket_id']}/links", type="related", ticket_id=made["other_id"])
    return made


def find_field():
    """There may be no more than some hundred definitions."""
    return next((field["id"] for field in get("/ticket_fields")["ticket_fields"]), None)


nobody = "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071"


def post(path, **members):
    return ask("POST", path, json=members).get("id", nobody)


def get(path):
    return ask("GET", path)


def ask(method, path, **options):
    headers = {"Authorization": f"Bearer {os.environ['API_TOKEN']}"}
    url = f"{os.environ['API_URL']}{path}.json"
    return python_requests.request(method, url, headers=headers, timeout=10, **options).json()


def schemas_of(operation):
    return operation.schema.raw_schema["components"]["schemas"]


accepted = Counter()


@schemathesis.hook
def after_call(context, case, response):
    accepted[case.operation.label] += response.status_code < 300


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
        # Schemathesis has been seen to report a case that it made as a positive one.
        is_positive = "positive test case" in failure.message
        return not (is_positive or looks_valid_on_the_wire(case) or misses_nothing(case, failure))
    return True


def is_refused_for_its_state(case, response):
    if case.method == "HEAD":
        names = (case.query or {}).keys()
        return bool(stateful_parameters & names) or any(name.startswith("custom_fields.") for name in names)
    if "of the ticket" in response.text:  # which may have most of what it can have already
        return response.status_code == 400
    if "duplicate_field" in response.text:  # the names tags and tags[] of a form are one
        return case.media_type == "application/x-www-form-urlencoded"
    faults = re.findall(r'(?:"field":"|<field>)([^"<]+)(?:","code":"|</field><code>)([^"<]+)', response.text)
    is_of_state = [code == "read_only" or stateful_fault.fullmatch(field) for field, code in faults]
    # Schemathesis puts no backslash before a comma that belongs to a value of a list.
    is_divided = ["," in str((case.query or {}).get(field, "")) for field, _ in faults]
    return response.status_code == 400 and bool(faults) and all(map(operator.or_, map(bool, is_of_state), is_divided))


# A cursor is only good for its list and a position for its feed; relevance and highlights go with a search, which has
# words and closes its quotation marks, and the time of a deletion with deleted tickets.
times_of_deletion = {"deleted_at", *(f"deleted_at[{each}]" for each in ("gte", "gt", "lte", "lt"))}
stateful_parameters = {"cursor", "since", "sort", "highlight", "q", *times_of_deletion}
# People and tickets have the ids that they have, and a patch of a person needs one to be there; custom fields hold what
# administrators have defined; nobody is copied twice, by whatever id or name; only some types have options, and only what
# customers see can be theirs to edit. What is read-only is only taken as it was read. A person is merged with another one.
stateful_fault = re.compile(
    r"cursor|since|sort|highlight|q|person_id|(requester|assignee|author|(cc|followers)\[\d+\])\.(id|email)|cc|followers|ticket_id|follow_up_of"
    r"|(created|updated|first_replied|solved|closed|deleted)_at|deleted_at\[\w+\]|custom_fields.*|options(\[\d+\])?|editable_by_customers"
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


def misses_nothing(case, failure):
    """Schemathesis takes the brackets off the name of a list of a form, and then misses tags where tags[] is, or in a body
    of another media type, where it may be missing."""
    missing = re.search(r"Missing required property: (\w+)", failure.message)
    if not missing or not isinstance(case.body, dict):
        return False
    if case.media_type == "application/x-www-form-urlencoded":
        return f"{missing.group(1)}[]" in case.body
    body = case.operation.get_body_for_media_type(case.media_type)
    return missing.group(1) not in schemas_of(case.operation)[body.resource_name].get("required", ())


def has_other_scalar_for_text(case):
    body = case.operation.get_body_for_media_type(case.media_type)
    properties = schemas_of(case.operation)[body.resource_name].get("properties", {})
    given = case.body.items() if isinstance(case.body, dict) else ()
    return any(
        isinstance(value, (bool, int, float)) and "string" in properties.get(name, {}).get("type", ()) for name, value in given
    )
