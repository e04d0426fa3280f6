"""Fetches a token with the client credentials grant of Authlib."""

import json
import os

from authlib.integrations.requests_client import OAuth2Session

ISSUER = os.environ["ISSUER"]
API = os.environ["API"]
CLIENT_ID = os.environ["CLIENT_ID"]
CLIENT_SECRET = os.environ["CLIENT_SECRET"]

session = OAuth2Session(CLIENT_ID, CLIENT_SECRET, scope="tickets:read tickets:write")
token = session.fetch_token(f"{ISSUER}/token", grant_type="client_credentials")
response = session.get(f"{API}/tickets.json")

print(json.dumps({"scope": token["scope"], "status": response.status_code}))
