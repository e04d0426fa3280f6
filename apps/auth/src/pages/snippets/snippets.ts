import type { ApplicationType } from '../../clients/client.ts';
import type { SnippetServer } from '../views/applications.ts';
import { type SnippetApplication, signingKeyOf, type UserApplication } from './application.ts';
import { machineCurl, userCurl } from './curl.ts';
import { machineGo, userGo } from './go.ts';
import { machineJava, webJava } from './java.ts';
import { browserJavaScript, machineJavaScript, nodeJavaScript } from './javascript.ts';
import { phoneKotlin, phoneSwift } from './phones.ts';
import { machinePython, userPython } from './python.ts';

export interface Snippet {
  language: 'curl' | 'javascript' | 'python' | 'go' | 'java' | 'swift' | 'kotlin';
  code: string;
}

interface Writer<Application> {
  language: Snippet['language'];
  write: (application: Application, server: SnippetServer) => string;
}

/** Function that writes a snippet, and the redirect URIs that its library supports. */
interface UserWriter extends Writer<UserApplication> {
  supports: (redirectUri: string) => boolean;
}

/**
 * Languages whose snippets sign client assertions or explain how. PyJWT supports Ed25519 only under the name `EdDSA`.
 */
function languagesWithKeys(application: SnippetApplication): readonly Snippet['language'][] {
  const isForPython = signingKeyOf(application)?.alg !== 'Ed25519';
  return ['curl', 'javascript', ...(isForPython ? (['python'] as const) : [])];
}

const isAny = () => true;
// openid-client derives the redirect URI from the current URL, without its query.
const isPlain = (uri: string) => !uri.includes('?');
const isMobileRedirect = (uri: string) => isPlain(uri) && !uri.startsWith('http:');

const curl: UserWriter = { language: 'curl', write: userCurl, supports: isAny };
const shared: readonly UserWriter[] = [
  curl,
  { language: 'javascript', write: nodeJavaScript, supports: isPlain },
  { language: 'python', write: userPython, supports: isPlain },
  { language: 'go', write: userGo, supports: isPlain },
];
const machineWriters: readonly Writer<SnippetApplication>[] = [
  { language: 'curl', write: machineCurl },
  { language: 'javascript', write: machineJavaScript },
  { language: 'python', write: machinePython },
  { language: 'go', write: machineGo },
  { language: 'java', write: machineJava },
];
const userWriters: Readonly<Record<Exclude<ApplicationType, 'machine'>, readonly UserWriter[]>> = {
  web: [
    ...shared,
    { language: 'java', write: webJava, supports: (uri) => isPlain(uri) && URL.canParse(uri) },
  ],
  spa: [curl, { language: 'javascript', write: browserJavaScript, supports: isPlain }],
  native: [
    ...shared,
    { language: 'swift', write: phoneSwift, supports: isMobileRedirect },
    { language: 'kotlin', write: phoneKotlin, supports: isMobileRedirect },
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
  const isSupported = ({ language }: { language: Snippet['language'] }) =>
    authMethod !== 'private_key_jwt' || languagesWithKeys(application).includes(language);
  if (type === 'machine')
    return machineWriters
      .filter(isSupported)
      .map(({ language, write }) => ({ language, code: write(application, server) }));
  return userWriters[type].filter(isSupported).flatMap(({ language, write, supports }) => {
    const redirectUri = redirectUris.find(supports);
    return redirectUri === undefined
      ? []
      : [{ language, code: write({ ...application, redirectUri }, server) }];
  });
}
