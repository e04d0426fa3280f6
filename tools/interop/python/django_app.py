"""A Django application that signs users in with mozilla-django-oidc."""

import os
from wsgiref.simple_server import make_server

import requests
from django.conf import settings
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.http import JsonResponse
from django.urls import include, path

ISSUER = os.environ["ISSUER"]
API = os.environ["API"]
CLIENT_ID = os.environ["CLIENT_ID"]
CLIENT_SECRET = os.environ["CLIENT_SECRET"]

settings.configure(
    ALLOWED_HOSTS=["127.0.0.1"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "file:app?mode=memory&cache=shared"}},
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "mozilla_django_oidc"],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
    ],
    ROOT_URLCONF=__name__,
    SECRET_KEY=os.urandom(32).hex(),
    AUTHENTICATION_BACKENDS=["mozilla_django_oidc.auth.OIDCAuthenticationBackend"],
    LOGIN_REDIRECT_URL="/",

    OIDC_RP_CLIENT_ID=CLIENT_ID,
    OIDC_RP_CLIENT_SECRET=CLIENT_SECRET,
    OIDC_RP_SCOPES="openid profile email tickets:read tickets:write",
    OIDC_RP_SIGN_ALGO="RS256",
    OIDC_USE_PKCE=True,
    OIDC_OP_AUTHORIZATION_ENDPOINT=f"{ISSUER}/auth",
    OIDC_OP_TOKEN_ENDPOINT=f"{ISSUER}/token",
    OIDC_OP_USER_ENDPOINT=f"{ISSUER}/me",
    OIDC_OP_JWKS_ENDPOINT=f"{ISSUER}/jwks",
    OIDC_STORE_ACCESS_TOKEN=True,
)


def home(request):
    session = requests.Session()
    session.headers["Authorization"] = f"Bearer {request.session['oidc_access_token']}"
    created = session.post(f"{API}/tickets.json", json={"subject": "From Django"})
    tickets = session.get(f"{API}/tickets.json").json()["tickets"]

    return JsonResponse(
        {
            "email": request.user.email,
            "created": created.status_code,
            "subjects": [ticket["subject"] for ticket in tickets],
        }
    )


urlpatterns = [path("", home), path("oidc/", include("mozilla_django_oidc.urls"))]

application = get_wsgi_application()
call_command("migrate", verbosity=0)
make_server("127.0.0.1", int(os.environ["PORT"]), application).serve_forever()
