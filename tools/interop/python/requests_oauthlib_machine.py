"""Fetches a token with the client credentials grant of requests-oauthlib."""

import json
import os

from oauthlib.oauth2 import BackendApplicationClient
from requests_oauthlib import OAuth2Session

ISSUER = os.environ["ISSUER"]
API = os.environ["API"]
CLIENT_ID = os.environ["CLIENT_ID"]
CLIENT_SECRET = os.environ["CLIENT_SECRET"]

client = BackendApplicationClient(CLIENT_ID, scope="tickets:read tickets:write")
session = OAuth2Session(client=client)
token = session.fetch_token(f"{ISSUER}/token", client_secret=CLIENT_SECRET)
response = session.get(f"{API}/tickets.json")

print(json.dumps({"scope": token["scope"], "status": response.status_code}))
