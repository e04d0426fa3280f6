import { createHash, randomBytes } from 'node:crypto';
import { type Browser, createBrowser, type Page } from '../../apps/auth/src/tests/browser.fixture.ts';
import { runOperatorCommand } from './operator.ts';

/** A user account. */
export interface Person {
  email: string;
  password: string;
}

/** A native application, verified by an operator so that consent is requested only once. */
export interface Application {
  issuer: string;
  clientId: string;
}

const REDIRECT_URI = 'http://127.0.0.1/callback';
const personScope = 'openid offline_access tickets:read';

/** Runs a `keydesk` command and returns its JSON output. */
export type Operate = <T>(args: readonly string[], input?: string) => Promise<T>;

export function addPerson(env: Readonly<Record<string, string>>, n: number): Promise<Person> {
  return addPersonBy((args, input) => runOperatorCommand(env, args, input), n);
}

/** Adds an account with the commands of any version. */
export async function addPersonBy(operate: Operate, n: number): Promise<Person> {
  const person = { email: `person${n}@example.com`, password: randomBytes(12).toString('base64url') };
  const args = ['account', 'add', '--email', person.email, '--role', 'agent', '--password-stdin'];
  await operate(args, person.password);
  return person;
}

export function addApplication(env: Readonly<Record<string, string>>, issuer: string): Promise<Application> {
  return addApplicationBy((args, input) => runOperatorCommand(env, args, input), issuer);
}

/** Adds an application with the commands of any version. */
export async function addApplicationBy(operate: Operate, issuer: string): Promise<Application> {
  const args = ['client', 'add', '--type', 'native', '--name', 'bench', '--scope', 'tickets:read'];
  const { client_id } = await operate<{ client_id: string }>([...args, '--redirect-uri', REDIRECT_URI]);
  await operate(['client', 'verify', client_id]);
  return { issuer, clientId: client_id };
}

/** Signs a user in with a new browser, up to the consent page. */
export async function signIn(application: Application, { email, password }: Person): Promise<Browser> {
  const browser = createBrowser(application.issuer);
  const page = await browser.open(toRequest(application, newVerifier()));
  const after = await browser.submit(page, 'sign-in', { email, password });
  if (!after.html.includes('id="consent"')) throw new Error(`The sign-in led to ${after.status}.`);
  return browser;
}

/** Requests a code for a signed-in user; returns the form that redeems it. */
export async function fetchCode(application: Application, browser: Browser) {
  const verifier = newVerifier();
  const { url, status } = await findResponse(await browser.open(toRequest(application, verifier)), browser);
  const code = url.searchParams.get('code');
  if (status !== 0 || code === null) throw new Error(`No code in the response: ${status} ${url}`);
  return {
    grant_type: 'authorization_code',
    client_id: application.clientId,
    redirect_uri: REDIRECT_URI,
    code,
    code_verifier: verifier,
  };
}

/** Allows the request if a consent page appears: `offline_access` requires consent each time. */
async function findResponse(page: Page, browser: Browser): Promise<Page> {
  return page.html.includes('id="consent"') ? browser.submit(page, 'consent', { decision: 'allow' }) : page;
}

function toRequest({ issuer, clientId }: Application, verifier: string): URL {
  const url = new URL(`${issuer}/auth`);
  url.search = new URLSearchParams({
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    response_type: 'code',
    scope: personScope,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    prompt: 'consent',
  }).toString();
  return url;
}

function newVerifier(): string {
  return randomBytes(32).toString('base64url');
}
