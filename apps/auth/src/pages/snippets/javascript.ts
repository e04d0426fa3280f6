import type { SnippetServer } from '../views/applications.ts';
import {
  isAboutPeopleOnly,
  mayReadTickets,
  type SnippetApplication,
  signingKeyOf,
  type UserApplication,
} from './application.ts';

/** JavaScript snippet of the client credentials grant, with openid-client. */
export function machineJavaScript(application: SnippetApplication, server: SnippetServer): string {
  return `${discovery(application, server)}
const { access_token } = await oidc.clientCredentialsGrant(config, {
  scope: ${scriptString(application.scopes.join(' '))},
});

${tokenUse(application, server)}`;
}

/** JavaScript snippet of the code flow on Node. */
export function nodeJavaScript(application: UserApplication, server: SnippetServer): string {
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
${tokenUse(application, server)}`;
}

/** JavaScript snippet of the code flow in a web page. */
export function browserJavaScript(application: UserApplication, server: SnippetServer): string {
  return `${discovery(application, server)}
if (new URLSearchParams(location.search).has('code')) {
  const pkceCodeVerifier = sessionStorage.getItem('verifier');
  const expectedState = sessionStorage.getItem('state');
  const { access_token } = await oidc.authorizationCodeGrant(config, new URL(location.href), {
    pkceCodeVerifier,
    expectedState,
  });
  ${tokenUse(application, server).replaceAll('\n', '\n  ')}
} else {
  const verifier = oidc.randomPKCECodeVerifier();
  const state = oidc.randomState();
  sessionStorage.setItem('verifier', verifier);
  sessionStorage.setItem('state', state);
  location.assign(${authorizationUrl(application, 'verifier', 'state').replaceAll('\n', '\n  ')});
}`;
}

function discovery(application: SnippetApplication, { issuer }: SnippetServer): string {
  const { id, authMethod } = application;
  const key = signingKeyOf(application);
  const authentication = {
    client_secret_basic: 'oidc.ClientSecretBasic(process.env.CLIENT_SECRET)',
    client_secret_post: 'oidc.ClientSecretPost(process.env.CLIENT_SECRET)',
    private_key_jwt: key ? privateKeyJwt(key) : '',
    none: 'oidc.None()',
  }[authMethod];
  const options = issuer.startsWith('http:') ? '\n  { execute: [oidc.allowInsecureRequests] },' : '';
  const jose = key ? "import { importPKCS8 } from 'jose'; // npm install jose\n" : '';
  const importKey = key
    ? `const key = await importPKCS8(process.env.PRIVATE_KEY, ${scriptString(key.alg)});\n`
    : '';
  return `${jose}import * as oidc from 'openid-client'; // npm install openid-client

${importKey}const config = await oidc.discovery(
  new URL(${scriptString(issuer)}),
  ${scriptString(id)},
  {},
  ${authentication},${options}
);
`;
}

/** Code that authenticates with a key. openid-client uses `Ed25519` for keys registered for `EdDSA` (RFC 9864). */
function privateKeyJwt({ alg, kid }: NonNullable<ReturnType<typeof signingKeyOf>>): string {
  const key = kid === undefined ? 'key' : `{ key, kid: ${scriptString(kid)} }`;
  if (alg !== 'EdDSA') return `oidc.PrivateKeyJwt(${key})`;
  return `oidc.PrivateKeyJwt(${key}, {
    [oidc.modifyAssertion](header) {
      header.alg = 'EdDSA';
    },
  })`;
}

function authorizationUrl(application: UserApplication, verifier: string, state: string): string {
  return `oidc.buildAuthorizationUrl(config, {
  redirect_uri: ${scriptString(application.redirectUri)},
  scope: ${scriptString(application.scopes.join(' '))},
  code_challenge: await oidc.calculatePKCECodeChallenge(${verifier}),
  code_challenge_method: 'S256',
  state: ${state},
})`;
}

/** Code that uses the token: reads tickets, or else the claims of the user. */
function tokenUse(application: SnippetApplication, { exampleUrl }: SnippetServer): string {
  if (isAboutPeopleOnly(application))
    return 'console.log(await oidc.fetchUserInfo(config, access_token, oidc.skipSubjectCheck));';
  if (!mayReadTickets(application)) return 'console.log(access_token);';
  return `const response = await fetch(${scriptString(exampleUrl)}, {
  headers: { authorization: \`Bearer \${access_token}\` },
});
console.log(await response.json());`;
}

/** Formats a string literal of JavaScript. */
function scriptString(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
