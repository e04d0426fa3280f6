"""A Flask application that signs users in with Authlib."""

import os

from authlib.integrations.flask_client import OAuth
from flask import Flask, url_for

ISSUER = os.environ["ISSUER"]
API = os.environ["API"]
CLIENT_ID = os.environ["CLIENT_ID"]
CLIENT_SECRET = os.environ["CLIENT_SECRET"]

refreshed = {}


def save_token(name, token, refresh_token=None, access_token=None):
    refreshed.update(token)


app = Flask(__name__)
app.secret_key = os.urandom(32)

oauth = OAuth(app, update_token=save_token)
oauth.register(
    "keydesk",
    client_id=CLIENT_ID,
    client_secret=CLIENT_SECRET,
    server_metadata_url=f"{ISSUER}/.well-known/openid-configuration",
    api_base_url=f"{API}/",
    client_kwargs={
        "scope": "openid profile email offline_access tickets:read tickets:write",
        "code_challenge_method": "S256",
    },
)


@app.get("/sign-in")
def sign_in():
    return oauth.keydesk.authorize_redirect(url_for("callback", _external=True))


@app.get("/callback")
def callback():
    token = oauth.keydesk.authorize_access_token()
    claims = token["userinfo"]

    created = oauth.keydesk.post("tickets.json", json={"subject": "From Authlib"}, token=token)
    tickets = oauth.keydesk.get("tickets.json", token=token).json()["tickets"]

    userinfo = oauth.keydesk.userinfo(token=token)
    # Authlib refreshes an expired token and passes the new one to update_token.
    again = oauth.keydesk.get("tickets.json", token={**token, "expires_at": 1})
    return {
        "claims": claims,
        "userinfo": userinfo,
        "scope": token["scope"],
        "created": created.status_code,
        "subjects": [ticket["subject"] for ticket in tickets],
        "refreshed": {"scope": refreshed["scope"], "status": again.status_code},
    }


app.run("127.0.0.1", int(os.environ["PORT"]))
