import type { SnippetServer } from '../views/applications.ts';
import { mayReadTickets, type PersonApplication, type SnippetApplication } from './application.ts';

/** Client credentials in a shell. */
export function machineCurl(application: SnippetApplication, server: SnippetServer): string {
  const use = mayReadTickets(application)
    ? `curl ${shellWord(server.exampleUrl)} --header "Authorization: Bearer $TOKEN"`
    : 'echo "$TOKEN"';
  return `TOKEN=$(curl --silent --show-error ${shellWord(server.tokenEndpoint)} \\
  ${curlAuthentication(application)} \\
  --data grant_type=client_credentials \\
  --data-urlencode ${shellWord(`scope=${application.scopes.join(' ')}`)} |
  sed -E 's/.*"access_token":"([^"]+)".*/\\1/')

${use}`;
}

/** The code flow by hand (RFC 6749 §4.1 with RFC 7636): for a try in a terminal, whatever the redirect URI is. */
export function personCurl(application: PersonApplication, server: SnippetServer): string {
  const url = new URL(server.authorizationEndpoint);
  url.search = new URLSearchParams({
    client_id: application.id,
    response_type: 'code',
    redirect_uri: application.redirectUri,
    scope: application.scopes.join(' '),
    code_challenge_method: 'S256',
  }).toString();
  return `VERIFIER=$(openssl rand -hex 32)
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

function curlAuthentication({ id, authMethod }: SnippetApplication): string {
  // RFC 6749 §2.3.1: the id is form-encoded before it becomes a user name.
  if (authMethod === 'client_secret_basic')
    return `--user ${shellWord(`${encodeURIComponent(id)}:`)}"$CLIENT_SECRET"`;
  const clientId = `--data-urlencode ${shellWord(`client_id=${id}`)}`;
  if (authMethod === 'none') return clientId;
  return `${clientId} --data-urlencode "client_secret=$CLIENT_SECRET"`;
}

/** A word of a POSIX shell: nothing in single quotes is special but the quote itself. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
