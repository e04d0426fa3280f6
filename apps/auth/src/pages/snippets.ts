import type { ApplicationType, ClientAuthMethod } from '../clients/client.ts';
import { isApiScope } from '../scopes.ts';
import type { SnippetServer } from './views/applications.ts';

/** What the snippets need to know of an application. */
export interface SnippetApplication {
  id: string;
  type: ApplicationType;
  authMethod: ClientAuthMethod;
  redirectUris: readonly string[];
  scopes: readonly string[];
}

export interface Snippet {
  kind: 'curl' | 'javascript';
  code: string;
}

/**
 * Programs that get an access token for the application and use it, ready to paste: for a POSIX shell with curl, and
 * for JavaScript with openid-client. A secret is read from `CLIENT_SECRET`. None for a client that signs with a key of
 * its own, or that has no redirect URI yet.
 */
export function createSnippets(application: SnippetApplication, server: SnippetServer): readonly Snippet[] {
  if (application.authMethod === 'private_key_jwt') return [];
  if (application.type === 'machine')
    return [
      { kind: 'curl', code: machineCurl(application, server) },
      { kind: 'javascript', code: machineJavaScript(application, server) },
    ];
  const personJavaScript = application.type === 'spa' ? browserJavaScript : nodeJavaScript;
  // openid-client takes the redirect URI from the address a person came back to, and leaves out its query.
  const plainUris = application.redirectUris.filter((uri) => !uri.includes('?'));
  return [
    ...application.redirectUris.slice(0, 1).map((redirectUri) => ({
      kind: 'curl' as const,
      code: personCurl({ ...application, redirectUri }, server),
    })),
    ...plainUris.slice(0, 1).map((redirectUri) => ({
      kind: 'javascript' as const,
      code: personJavaScript({ ...application, redirectUri }, server),
    })),
  ];
}

type PersonApplication = SnippetApplication & { redirectUri: string };

function machineCurl(application: SnippetApplication, server: SnippetServer): string {
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
function personCurl(application: PersonApplication, server: SnippetServer): string {
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

function machineJavaScript(application: SnippetApplication, server: SnippetServer): string {
  return `${discovery(application, server)}
const { access_token } = await oidc.clientCredentialsGrant(config, {
  scope: ${scriptString(application.scopes.join(' '))},
});

${useOfToken(application, server)}`;
}

function nodeJavaScript(application: PersonApplication, server: SnippetServer): string {
  return `import { createInterface } from 'node:readline/promises';
${discovery(application, server)}
const pkceCodeVerifier = oidc.randomPKCECodeVerifier();
const expectedState = oidc.randomState();
const address = ${authorizationUrl(application, 'pkceCodeVerifier', 'expectedState')};
console.log('Open this address and sign in:', address.href);
const terminal = createInterface({ input: process.stdin, output: process.stdout });
const callback = new URL(await terminal.question('Paste the address you were sent to: '));
terminal.close();

const { access_token } = await oidc.authorizationCodeGrant(config, callback, { pkceCodeVerifier, expectedState });
${useOfToken(application, server)}`;
}

function browserJavaScript(application: PersonApplication, server: SnippetServer): string {
  return `${discovery(application, server)}
if (new URLSearchParams(location.search).has('code')) {
  const pkceCodeVerifier = sessionStorage.getItem('verifier');
  const expectedState = sessionStorage.getItem('state');
  const { access_token } = await oidc.authorizationCodeGrant(config, new URL(location.href), {
    pkceCodeVerifier,
    expectedState,
  });
  ${useOfToken(application, server).replaceAll('\n', '\n  ')}
} else {
  const verifier = oidc.randomPKCECodeVerifier();
  const state = oidc.randomState();
  sessionStorage.setItem('verifier', verifier);
  sessionStorage.setItem('state', state);
  location.assign(${authorizationUrl(application, 'verifier', 'state').replaceAll('\n', '\n  ')});
}`;
}

function discovery({ id, authMethod }: SnippetApplication, { issuer }: SnippetServer): string {
  const authentication = {
    client_secret_basic: 'oidc.ClientSecretBasic(process.env.CLIENT_SECRET)',
    client_secret_post: 'oidc.ClientSecretPost(process.env.CLIENT_SECRET)',
    private_key_jwt: '',
    none: 'oidc.None()',
  }[authMethod];
  const options = issuer.startsWith('http:') ? '\n  { execute: [oidc.allowInsecureRequests] },' : '';
  return `import * as oidc from 'openid-client'; // npm install openid-client

const config = await oidc.discovery(
  new URL(${scriptString(issuer)}),
  ${scriptString(id)},
  {},
  ${authentication},${options}
);
`;
}

function authorizationUrl(application: PersonApplication, verifier: string, state: string): string {
  return `oidc.buildAuthorizationUrl(config, {
  redirect_uri: ${scriptString(application.redirectUri)},
  scope: ${scriptString(application.scopes.join(' '))},
  code_challenge: await oidc.calculatePKCECodeChallenge(${verifier}),
  code_challenge_method: 'S256',
  state: ${state},
})`;
}

/** What the application may do with its token: read tickets, or be told at least who somebody is. */
function useOfToken(application: SnippetApplication, { exampleUrl }: SnippetServer): string {
  if (isAboutPeopleOnly(application))
    return 'console.log(await oidc.fetchUserInfo(config, access_token, oidc.skipSubjectCheck));';
  if (!mayReadTickets(application)) return 'console.log(access_token);';
  return `const response = await fetch(${scriptString(exampleUrl)}, {
  headers: { authorization: \`Bearer \${access_token}\` },
});
console.log(await response.json());`;
}

function mayReadTickets({ scopes }: SnippetApplication): boolean {
  return scopes.includes('tickets:read');
}

/** Its tokens are for the userinfo endpoint, and not for the API. */
function isAboutPeopleOnly({ scopes }: SnippetApplication): boolean {
  return scopes.includes('openid') && !scopes.some(isApiScope);
}

/** A word of a POSIX shell: nothing in single quotes is special but the quote itself. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A string literal of JavaScript. */
function scriptString(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
