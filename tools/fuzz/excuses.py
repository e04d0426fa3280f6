"""Expected rejections of valid input, matched by problem code and field, and input that only Schemathesis considers
invalid. No message text is read."""

import re
from typing import NamedTuple


class Excuse(NamedTuple):
    """Matches whole field names; without fields, it matches a problem without errors."""

    operations: str
    code: str
    fields: str | None = None
    faults: str = "invalid_value"


CHANGE = r"(POST|PUT|PATCH|DELETE) .*"
READ = r"(GET|HEAD) .*"
WRITTEN_TICKET = r"(POST /tickets|PUT /tickets/external/\{external_id\}|(PUT|PATCH) /ticket/\{ticket_id\})\.\{format\}"
PERSON = r"(requester|assignee|author|(cc|followers)\[\d+\])\.(id|email)"

EXCUSES = [
    # Ids must exist.
    Excuse(r".*\{\w+_id\}.*", "not_found"),
    # The resource has changed, or its state does not allow the change.
    Excuse(CHANGE, "precondition_failed"),
    *(Excuse(CHANGE, code) for code in ("conflict", "in_use", "id_in_use", "external_id_in_use", "transition_not_allowed", "ticket_closed")),
    # A read-only member must have its current value.
    Excuse(r"(PUT|PATCH) .*", "validation_failed", r"\w+", "read_only"),
    # A cursor belongs to its list, a position to its feed, and relevance and highlights to a search.
    Excuse(READ, "validation_failed", r"cursor|since|Last-Event-ID|sort|highlight"),
    Excuse(READ, "invalid_request", r"cursor|since|Last-Event-ID|sort|highlight"),
    # A deletion time filter needs deleted tickets.
    Excuse(READ, "validation_failed", r"deleted_at(\[\w+\])?"),
    # Custom fields must be defined by administrators.
    Excuse(READ, "validation_failed", r"custom_fields\..*", "unknown_parameter|invalid_value"),
    Excuse(WRITTEN_TICKET, "validation_failed", r"custom_fields.*", "unknown_field|invalid_value|required|too_long"),
    # Statuses, types and priorities must be defined and not hidden.
    Excuse(r".*", "validation_failed", r"(status|type|priority)(\[not\])?", "not_defined|hidden"),
    # The default of new tickets must not be hidden; transitions and replacements must exist.
    Excuse(r"(POST|PUT|PATCH) /ticket_(status|priorit).*", "validation_failed", "hidden|transitions"),
    Excuse(r"DELETE /ticket_(status|type|priority)/.*", "validation_failed", "replace_with"),
    # Rights that are not optional are fixed.
    Excuse(r"(PUT|PATCH) /role/.*", "validation_failed", r"rights\.\w+"),
    # People and tickets must exist.
    Excuse(CHANGE, "validation_failed", PERSON),
    Excuse(r"POST /ticket/\{ticket_id\}/links.*", "validation_failed", "ticket_id"),
    Excuse(WRITTEN_TICKET, "validation_failed", "follow_up_of"),
    Excuse(r"POST /person/\{person_id\}/merge.*", "validation_failed", "person_id"),
    # Creating a resource requires more members than editing it.
    Excuse(r"PUT /tickets/external/.*", "validation_failed", "subject", "required"),
    # The body may repeat the external id of the path, and another parameter requires one.
    Excuse(r"PUT /tickets/external/.*", "validation_failed", "external_id"),
    Excuse(CHANGE, "validation_failed", "external_id", "required"),
    # Time zones must be in the database of the system.
    Excuse(r"(PUT|PATCH) /person/.*", "validation_failed", "time_zone"),
    # A purge stores no response for replays.
    Excuse(r"DELETE /ticket/\{ticket_id\}\..*", "validation_failed", "Idempotency-Key"),
    # No person is in a list twice, by id or address.
    Excuse(WRITTEN_TICKET, "validation_failed", r"cc|followers"),
    # Members of a custom field depend on each other; options are trimmed, so two of them may be equal.
    Excuse(r"(POST|PUT|PATCH) /ticket_field.*", "validation_failed", "options|editable_by_customers"),
]
# Operations that require an administrator.
FORBIDDEN = [Excuse(r".*", "forbidden"), Excuse(r".*", "forbidden", r".*", "forbidden")]
# Node accepts 16 KiB of URL and header fields.
LONG_TARGET = 8_000
FORM = "application/x-www-form-urlencoded"


def is_excused_refusal(case, response, problem, role, schemas):
    """Whether the API may reject valid input in this way in its current state."""
    if response.status_code == 431:
        return len(response.request.path_url) + sum(map(len, response.request.headers.values())) > LONG_TARGET
    if not isinstance(problem, dict):
        return False
    faults = problem.get("errors") or []
    if not faults:
        return _covers(case, problem, None, None, role)
    return all(
        _covers(case, problem, fault["field"], fault["code"], role)
        or _is_of_the_wire(case, fault, schemas)
        or _has_symbols_alone(case, fault)
        for fault in faults
    )


def _covers(case, problem, field, fault, role):
    excuses = EXCUSES if role == "admin" else [*EXCUSES, *FORBIDDEN]
    return any(
        re.fullmatch(each.operations, case.operation.label)
        and each.code == problem.get("code")
        and (field is None if each.fields is None else field is not None and re.fullmatch(each.fields, field))
        and (fault is None or re.fullmatch(each.faults, fault))
        for each in excuses
    )


def _is_of_the_wire(case, fault, schemas):
    """Whether Schemathesis encoded a list incorrectly: it removes [] from list names in forms and does not escape commas in
        list values."""
    field, code = fault["field"], fault["code"]
    if case.media_type == FORM and isinstance(case.body, dict):
        is_list = f"{field}[]" in _schema_of_body(case, schemas).get("properties", {})
        return is_list and code in ("duplicate_field", "invalid_type", "invalid_text")
    declared = {each["name"]: each for each in case.operation.definition.raw.get("parameters", [])}
    is_list = declared.get(field, {}).get("schema", {}).get("type") == "array"
    return is_list and code == "invalid_value" and "," in str((case.query or {}).get(field, ""))


def _has_symbols_alone(case, fault):
    """Whether a search has only symbols; the pattern of its schema accepts any non-ASCII character as a letter."""
    text = str((case.query or {}).get("q", ""))
    return (fault["field"], fault["code"]) == ("q", "invalid_value") and not any(map(str.isalnum, text))


def is_excused_acceptance(case, schemas):
    """Whether input generated as invalid is valid on the wire."""
    scenario = getattr(case.meta.phase.data, "scenario", None) if case.meta else None
    # Schemathesis sometimes reports positive cases.
    if scenario == "default_positive_test":
        return True
    if scenario == "object_missing_required_property" and isinstance(case.body, dict):
        return _misses_nothing(case, case.meta.phase.data.parameter, schemas)
    return _looks_valid_on_the_wire(case, schemas)


def _misses_nothing(case, name, schemas):
    """Whether a member reported as missing is present as a list (tags[] in a form) or optional in another media type."""
    if case.media_type == FORM:
        return f"{name}[]" in case.body
    return name not in _schema_of_body(case, schemas).get("required", ())


def _looks_valid_on_the_wire(case, schemas):
    """Whether a type error is not visible on the wire: XML and forms contain only text, and tags[]=… is a list of one."""
    if not isinstance(case.body, dict) or "body" not in (case.meta.components if case.meta else ()):
        return False
    if case.media_type in ("application/xml", "text/xml"):
        properties = _schema_of_body(case, schemas).get("properties", {})
        return any(
            isinstance(value, (bool, int, float)) and "string" in properties.get(name, {}).get("type", ())
            for name, value in case.body.items()
        )
    if case.media_type != FORM:
        return False
    members = [(name, value) for name, value in case.body.items() if not isinstance(value, list)]
    return any(name.endswith("[]") or not isinstance(value, (str, dict)) for name, value in members)


def _schema_of_body(case, schemas):
    return schemas[case.operation.get_body_for_media_type(case.media_type).resource_name]
