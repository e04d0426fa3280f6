"""Signs a user in with requests-oauthlib."""

import json
import os

import jwt
import requests
from requests_oauthlib import OAuth2Session

ISSUER = os.environ["ISSUER"]
API = os.environ["API"]
CLIENT_ID = os.environ["CLIENT_ID"]
CLIENT_SECRET = os.environ["CLIENT_SECRET"]
REDIRECT_URI = os.environ["REDIRECT_URI"]

server = requests.get(f"{ISSUER}/.well-known/openid-configuration").json()
keydesk = OAuth2Session(
    CLIENT_ID,
    redirect_uri=REDIRECT_URI,
    scope="openid profile email offline_access tickets:read tickets:write",
    pkce="S256",
)
url, state = keydesk.authorization_url(server["authorization_endpoint"])

print(url, flush=True)
callback = input()

token = keydesk.fetch_token(
    server["token_endpoint"], authorization_response=callback, client_secret=CLIENT_SECRET
)
key = jwt.PyJWKClient(server["jwks_uri"]).get_signing_key_from_jwt(token["id_token"])
claims = jwt.decode(token["id_token"], key, algorithms=["RS256"], audience=CLIENT_ID, issuer=ISSUER)

created = keydesk.post(f"{API}/tickets.json", json={"subject": "From requests-oauthlib"})
tickets = keydesk.get(f"{API}/tickets.json").json()["tickets"]

userinfo = keydesk.get(server["userinfo_endpoint"]).json()

refreshed = keydesk.refresh_token(server["token_endpoint"], auth=(CLIENT_ID, CLIENT_SECRET))

again = keydesk.get(f"{API}/tickets.json")
print(
    json.dumps(
        {
            "claims": claims,
            "userinfo": userinfo,
            "scope": token["scope"],
            "created": created.status_code,
            "subjects": [ticket["subject"] for ticket in tickets],
            "refreshed": {"scope": refreshed["scope"], "status": again.status_code},
        }
    )
)
