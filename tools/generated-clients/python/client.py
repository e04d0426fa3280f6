"""Runs the steps of docs/generated-clients.md with a client that openapi-python-client created from /openapi.json."""

import json
import os
import uuid

import httpx
from keydesk_client import AuthenticatedClient
from keydesk_client.api.changes import list_changes
from keydesk_client.api.tickets import add_ticket, edit_ticket, list_tickets
from keydesk_client.models import PersonReferenceInput, StaleTicketProblem, TicketCreate, TicketUpdate


def fetch_token():
    """Requests a token with the client credentials grant (RFC 6749 §4.4)."""
    answer = httpx.post(
        f"{os.environ['ISSUER']}/token",
        auth=(os.environ["CLIENT_ID"], os.environ["CLIENT_SECRET"]),
        data={"grant_type": "client_credentials", "scope": "tickets:read tickets:write"},
    )
    return answer.raise_for_status().json()["access_token"]


client = AuthenticatedClient(base_url=os.environ["API"], token=fetch_token())


def read_changes(since=None):
    """Reads the feed to its end."""
    changes, position = [], {} if since is None else {"since": since}
    while True:
        page = list_changes.sync(client=client, limit=100, **position)
        changes += page.changes
        position = {"since": page.position}
        if not page.has_more:
            return changes, page.position


_, position = read_changes()

ticket = add_ticket.sync(
    client=client,
    idempotency_key=str(uuid.uuid4()),
    body=TicketCreate(
        subject="The printer is on fire",
        requester=PersonReferenceInput(email="ada@example.com", name="Ada"),
        tags=["generated", "python"],
    ),
)

page = list_tickets.sync(client=client, tagall=["generated", "python"], limit=100)

edited = edit_ticket.sync(
    ticket.id, client=client, if_match=ticket.etag, body=TicketUpdate(subject="The printer is out")
)

refusal = edit_ticket.sync_detailed(
    ticket.id, client=client, if_match=ticket.etag, body=TicketUpdate(subject="The printer works")
)
problem = refusal.parsed
assert isinstance(problem, StaleTicketProblem), refusal

changes, _ = read_changes(position)

print(
    json.dumps(
        {
            "created": ticket.subject,
            "listed": any(each.id == ticket.id for each in page.tickets),
            "edited": edited.version,
            "conflict": {
                "status": int(refusal.status_code),
                "code": problem.code,
                "current": problem.current.version,
            },
            "changed": next(each.ticket.subject for each in changes if each.id == ticket.id),
        }
    )
)
