import type { SnippetServer } from '../views/applications.ts';
import {
  ASSERTION_TYPE,
  quoted,
  resourceOf,
  type SnippetApplication,
  signingKeyOf,
  type UserApplication,
  usesSecret,
} from './application.ts';

/** Python snippet of the client credentials grant, with requests-oauthlib. */
export function machinePython(application: SnippetApplication, server: SnippetServer): string {
  return `${imports(application)}from oauthlib.oauth2 import BackendApplicationClient
from requests_oauthlib import OAuth2Session  # pip install requests-oauthlib

client = BackendApplicationClient(${quoted(application.id)}, scope=${quoted(application.scopes.join(' '))})
session = OAuth2Session(client=client)
token = session.fetch_token(
    ${quoted(server.tokenEndpoint)},
    ${authentication(application, server)},
)
${tokenUse(application, server)}`;
}

/** Python snippet of the code flow, with requests-oauthlib; version 2 is required for PKCE. */
export function userPython(application: UserApplication, server: SnippetServer): string {
  return `${imports(application)}from requests_oauthlib import OAuth2Session  # pip install "requests-oauthlib>=2"

session = OAuth2Session(
    ${quoted(application.id)},
    redirect_uri=${quoted(application.redirectUri)},
    scope=${quoted(application.scopes.join(' '))},
    pkce="S256",
)
url, state = session.authorization_url(${quoted(server.authorizationEndpoint)})
print("Open this address and sign in:", url, flush=True)
callback = input("Paste the address you were sent to: ")

token = session.fetch_token(
    ${quoted(server.tokenEndpoint)},
    authorization_response=callback,
    ${authentication(application, server)},
)
${tokenUse(application, server)}`;
}

function imports(application: SnippetApplication): string {
  if (usesSecret(application)) return 'import os\n\n';
  if (!signingKeyOf(application)) return '';
  return 'import os\nimport time\nimport uuid\n\nimport jwt  # pip install "PyJWT[crypto]"\n';
}

function authentication(application: SnippetApplication, { issuer }: SnippetServer): string {
  const { id, authMethod } = application;
  const key = signingKeyOf(application);
  if (authMethod === 'none') return 'include_client_id=True';
  if (key)
    return `include_client_id=True,
    client_assertion_type="${ASSERTION_TYPE}",
    client_assertion=jwt.encode(
        {
            "iss": ${quoted(id)},
            "sub": ${quoted(id)},
            "aud": ${quoted(issuer)},
            "exp": int(time.time()) + 60,
            "jti": str(uuid.uuid4()),
        },
        os.environ["PRIVATE_KEY"],
        ${quoted(key.alg)},${key.kid === undefined ? '' : `\n        {"kid": ${quoted(key.kid)}},`}
    )`;
  if (authMethod === 'client_secret_basic') return `auth=(${quoted(id)}, os.environ["CLIENT_SECRET"])`;
  return 'client_secret=os.environ["CLIENT_SECRET"],\n    include_client_id=True';
}

function tokenUse(application: SnippetApplication, server: SnippetServer): string {
  const resource = resourceOf(application, server);
  return resource === undefined
    ? 'print(token["access_token"])'
    : `print(session.get(${quoted(resource)}).json())`;
}
