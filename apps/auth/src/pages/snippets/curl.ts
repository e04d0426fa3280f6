import type { SnippetServer } from '../views/applications.ts';
import {
  ASSERTION_TYPE,
  mayReadTickets,
  type SnippetApplication,
  signingKeyOf,
  type UserApplication,
} from './application.ts';

/** Shell snippet of the client credentials grant. */
export function machineCurl(application: SnippetApplication, server: SnippetServer): string {
  const use = mayReadTickets(application)
    ? `curl ${shellWord(server.exampleUrl)} --header "Authorization: Bearer $TOKEN"`
    : 'echo "$TOKEN"';
  return `${assertionHint(application, server)}TOKEN=$(curl --silent --show-error ${shellWord(server.tokenEndpoint)} \\
  ${curlAuthentication(application)} \\
  --data grant_type=client_credentials \\
  --data-urlencode ${shellWord(`scope=${application.scopes.join(' ')}`)} |
  sed -E 's/.*"access_token":"([^"]+)".*/\\1/')

${use}`;
}

/** Shell snippet of the manual code flow (RFC 6749 §4.1 with RFC 7636); works with any redirect URI. */
export function userCurl(application: UserApplication, server: SnippetServer): string {
  const url = new URL(server.authorizationEndpoint);
  url.search = new URLSearchParams({
    client_id: application.id,
    response_type: 'code',
    redirect_uri: application.redirectUri,
    scope: application.scopes.join(' '),
    code_challenge_method: 'S256',
  }).toString();
  return `${assertionHint(application, server)}VERIFIER=$(openssl rand -hex 32)
CHALLENGE=$(printf %s "$VERIFIER" | openssl dgst -sha256 -binary | openssl base64 -A | tr '+/' '-_' | tr -d '=')
printf 'Open this address, sign in, and copy the code from where you are sent:\\n%s\\n' ${shellWord(`${url.href}&code_challenge=`)}"$CHALLENGE"
printf 'code: ' && read -r CODE

curl ${shellWord(server.tokenEndpoint)} \\
  ${curlAuthentication(application)} \\
  --data grant_type=authorization_code \\
  --data-urlencode ${shellWord(`redirect_uri=${application.redirectUri}`)} \\
  --data-urlencode "code=$CODE" \\
  --data "code_verifier=$VERIFIER"`;
}

/**
 * Comment that explains `CLIENT_ASSERTION`, which curl can't sign. The id is JSON-encoded, so it cannot break the line.
 */
function assertionHint(application: SnippetApplication, { issuer }: SnippetServer): string {
  const key = signingKeyOf(application);
  if (!key) return '';
  const kid = key.kid === undefined ? '' : ` and the kid ${JSON.stringify(key.kid)}`;
  return `# curl cannot sign. Sign CLIENT_ASSERTION with a library for JWTs, such as jose (JavaScript) or PyJWT (Python), by
# ${key.alg}${kid}, with these claims: iss and sub ${JSON.stringify(application.id)},
# aud ${JSON.stringify(issuer)}, exp in a minute, and a new jti each time (RFC 7523 §3).
`;
}

function curlAuthentication({ id, authMethod }: SnippetApplication): string {
  // The id is form-encoded before it becomes a user name (RFC 6749 §2.3.1).
  if (authMethod === 'client_secret_basic')
    return `--user ${shellWord(`${encodeURIComponent(id)}:`)}"$CLIENT_SECRET"`;
  const clientId = `--data-urlencode ${shellWord(`client_id=${id}`)}`;
  if (authMethod === 'none') return clientId;
  if (authMethod === 'private_key_jwt')
    return `--data ${shellWord(`client_assertion_type=${ASSERTION_TYPE}`)} \\
  --data-urlencode "client_assertion=$CLIENT_ASSERTION"`;
  return `${clientId} --data-urlencode "client_secret=$CLIENT_SECRET"`;
}

/** Quotes a word for a POSIX shell; in single quotes, only the quote itself is special. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
