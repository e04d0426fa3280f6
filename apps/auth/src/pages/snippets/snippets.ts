import type { ApplicationType } from '../../clients/client.ts';
import type { SnippetServer } from '../views/applications.ts';
import { type PersonApplication, type SnippetApplication, signingKeyOf } from './application.ts';
import { machineCurl, personCurl } from './curl.ts';
import { machineGo, personGo } from './go.ts';
import { machineJava, webJava } from './java.ts';
import { browserJavaScript, machineJavaScript, nodeJavaScript } from './javascript.ts';
import { phoneKotlin, phoneSwift } from './phones.ts';
import { machinePython, personPython } from './python.ts';

export interface Snippet {
  language: 'curl' | 'javascript' | 'python' | 'go' | 'java' | 'swift' | 'kotlin';
  code: string;
}

interface Writer<Application> {
  language: Snippet['language'];
  write: (application: Application, server: SnippetServer) => string;
}

/** Function that writes a snippet, and the redirect URIs that its library supports. */
interface PersonWriter extends Writer<PersonApplication> {
  takes: (redirectUri: string) => boolean;
}

/**
 * Languages whose snippets sign client assertions or explain how. PyJWT supports Ed25519 only under the name `EdDSA`.
 */
function signersFor(application: SnippetApplication): readonly Snippet['language'][] {
  const isForPython = signingKeyOf(application)?.alg !== 'Ed25519';
  return ['curl', 'javascript', ...(isForPython ? (['python'] as const) : [])];
}

const isAny = () => true;
// openid-client derives the redirect URI from the current URL, without its query.
const isPlain = (uri: string) => !uri.includes('?');
const isForPhones = (uri: string) => isPlain(uri) && !uri.startsWith('http:');

const curl: PersonWriter = { language: 'curl', write: personCurl, takes: isAny };
const shared: readonly PersonWriter[] = [
  curl,
  { language: 'javascript', write: nodeJavaScript, takes: isPlain },
  { language: 'python', write: personPython, takes: isPlain },
  { language: 'go', write: personGo, takes: isPlain },
];
const machineWriters: readonly Writer<SnippetApplication>[] = [
  { language: 'curl', write: machineCurl },
  { language: 'javascript', write: machineJavaScript },
  { language: 'python', write: machinePython },
  { language: 'go', write: machineGo },
  { language: 'java', write: machineJava },
];
const personWriters: Readonly<Record<Exclude<ApplicationType, 'machine'>, readonly PersonWriter[]>> = {
  web: [...shared, { language: 'java', write: webJava, takes: (uri) => isPlain(uri) && URL.canParse(uri) }],
  spa: [curl, { language: 'javascript', write: browserJavaScript, takes: isPlain }],
  native: [
    ...shared,
    { language: 'swift', write: phoneSwift, takes: isForPhones },
    { language: 'kotlin', write: phoneKotlin, takes: isForPhones },
  ],
};

/**
 * Creates programs that obtain an access token for the application and use it, in the languages of its type. They read
 * a secret from `CLIENT_SECRET` and a private key from `PRIVATE_KEY`. Returns no snippets for a client whose requests
 * must be pushed, signed or bound to a key, or that has no redirect URI.
 */
export function createSnippets(application: SnippetApplication, server: SnippetServer): readonly Snippet[] {
  const { type, authMethod, redirectUris } = application;
  if (application.isHardened) return [];
  const suits = ({ language }: { language: Snippet['language'] }) =>
    authMethod !== 'private_key_jwt' || signersFor(application).includes(language);
  if (type === 'machine')
    return machineWriters
      .filter(suits)
      .map(({ language, write }) => ({ language, code: write(application, server) }));
  return personWriters[type].filter(suits).flatMap(({ language, write, takes }) => {
    const redirectUri = redirectUris.find(takes);
    return redirectUri === undefined
      ? []
      : [{ language, code: write({ ...application, redirectUri }, server) }];
  });
}
