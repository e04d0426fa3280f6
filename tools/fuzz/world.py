"""State of the API during fuzzing: creates resources for ids, and ensures that plain tickets can be created."""

import itertools
import json
import os
from typing import NamedTuple
from urllib.error import HTTPError
from urllib.request import Request, urlopen

NOBODY = "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071"
# Definitions by list path, with values that do not block later tickets. A generated definition may require a value in
# every ticket, and the API would then reject each request that adds or changes a ticket.
DEFINITIONS = {
    "/ticket_fields": ("/ticket_field", {"required_on": []}),
    "/ticket_statuses": ("/ticket_status", {"hidden": False, "transitions": None}),
    "/ticket_types": ("/ticket_type", {"hidden": False}),
    "/ticket_priorities": ("/ticket_priority", {"hidden": False}),
}
# The API accepts at most 200.
MOST_FIELDS = 150

is_admin = os.environ["API_ROLE"] == "admin"
is_customer = os.environ["API_ROLE"] == "customer"
faults = []
turns = itertools.count()


class Answer(NamedTuple):
    request: str
    status: int
    body: dict


def ask(method, path, members=None):
    headers = {"Authorization": f"Bearer {os.environ['API_TOKEN']}"}
    if members is not None:
        headers["Content-Type"] = "application/json"
    data = None if members is None else json.dumps(members).encode()
    request = Request(f"{os.environ['API_URL']}{path}.json", data, headers, method=method)
    try:
        with urlopen(request, timeout=30) as response:
            status, text = response.status, response.read()
    except HTTPError as refusal:
        status, text = refusal.code, refusal.read()
    return Answer(f"{method} {path} {members or ''}", status, json.loads(text or b"{}"))


def expect(answer, *statuses):
    if answer.status not in statuses:
        faults.append(f"{answer.request}: {answer.status} {answer.body}")


def post(path, **members):
    """Creates a resource and returns its id. A failure fails the run, because operations on the resource are not tested."""
    answer = ask("POST", path, members)
    expect(answer, 200, 201)
    return answer.body.get("id", NOBODY)


def make(names):
    """Creates resources for path parameters; returns nothing if the role must not create them."""
    if names[0] == "field_id":
        return {"field_id": find_or_make_field()}
    if names[0] == "person_id":
        return {"person_id": (ask("GET", "/me").body["person"] or {}).get("id", NOBODY)}
    if names[0] == "external_id":
        return {"external_id": make_external_id()}
    if names[0] in KINDS:
        return {names[0]: find_or_make_definition(names[0])}
    if names[0] != "ticket_id":
        return {}
    made = {"ticket_id": post("/tickets", subject="Made")}
    if "reply_id" in names:
        made["reply_id"] = post(f"/ticket/{made['ticket_id']}/replies", body="Made")
    if "other_id" in names:
        made["other_id"] = post("/tickets", subject="Made")
        if not is_customer:
            post(f"/ticket/{made['ticket_id']}/links", type="related", ticket_id=made["other_id"])
    return made


def make_person():
    """Creates a person as the requester of a ticket and returns the id; only staff may set a requester."""
    if is_customer:
        return NOBODY
    answer = ask("POST", "/tickets", {"subject": "Made", "requester": {"email": f"made-{next(turns)}@example.com"}})
    expect(answer, 201)
    return (answer.body.get("requester") or {}).get("id", NOBODY)


def make_external_id():
    """Creates a ticket with an external id and returns that id."""
    if is_customer:
        return NOBODY
    external_id = f"made-{next(turns)}"
    expect(ask("PUT", f"/tickets/external/{external_id}", {"subject": "Made"}), 200, 201)
    return external_id


def find_or_make_field():
    for field in ask("GET", "/ticket_fields").body["ticket_fields"]:
        return field["id"]
    return post("/ticket_fields", key=f"made_{next(turns)}", title="Made", type="text") if is_admin else NOBODY


# Path parameters of statuses, types and priorities, with their lists and the required members.
KINDS = {
    "status_id": ("/ticket_statuses", {"category": "pending"}),
    "type_id": ("/ticket_types", {}),
    "priority_id": ("/ticket_priorities", {"rank": 5}),
}


def find_or_make_definition(name):
    plural, members = KINDS[name]
    listed = ask("GET", plural).body[plural[1:]]
    for definition in listed:
        if not is_admin or not definition["built_in"]:
            return definition["id"]
    return post(plural, id=f"made_{next(turns)}", title="Made", **members)


def is_of_definitions(path):
    return any(path.startswith((f"{plural}.", f"{plural}/", f"{singular}/")) for plural, (singular, _) in DEFINITIONS.items())


def relax_definitions():
    """Resets definitions that would block later tickets, and deletes the oldest when there are many."""
    for plural, (singular, harmless) in DEFINITIONS.items():
        for item in ask("GET", plural).body.get(plural[1:], ()):
            # A definition without a version cannot be changed.
            change = "version" in item and {name: value for name, value in harmless.items() if item.get(name, value) != value}
            if change:
                expect(ask("PATCH", f"{singular}/{item['id']}", change), 200)
    fields = sorted(ask("GET", "/ticket_fields").body["ticket_fields"], key=lambda field: field["created_at"])
    for field in fields[: max(0, len(fields) - MOST_FIELDS)]:
        expect(ask("DELETE", f"/ticket_field/{field['id']}"), 200)


def check_that_tickets_can_be_made():
    expect(ask("POST", "/tickets", {"subject": "Plain"}), 201)
