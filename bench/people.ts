import { createHash, randomBytes } from 'node:crypto';
import { type Browser, createBrowser, type Page } from '../apps/auth/src/browser.fixture.ts';
import { operate } from './operator.ts';

/** Somebody who can sign in. */
export interface Person {
  email: string;
  password: string;
}

/** An application on people's own devices, which an operator vouches for, so that consent is asked only once. */
export interface Application {
  issuer: string;
  clientId: string;
}

const REDIRECT_URI = 'http://127.0.0.1/callback';
const personScope = 'openid offline_access tickets:read';

export async function addPerson(env: Readonly<Record<string, string>>, n: number): Promise<Person> {
  const person = { email: `person${n}@example.com`, password: randomBytes(12).toString('base64url') };
  await operate(
    env,
    ['account', 'add', '--email', person.email, '--role', 'agent', '--password-stdin'],
    person.password,
  );
  return person;
}

export async function addApplication(
  env: Readonly<Record<string, string>>,
  issuer: string,
): Promise<Application> {
  const args = ['client', 'add', '--type', 'native', '--name', 'bench', '--scope', 'tickets:read'];
  const { client_id } = await operate<{ client_id: string }>(env, [...args, '--redirect-uri', REDIRECT_URI]);
  await operate(env, ['client', 'verify', client_id]);
  return { issuer, clientId: client_id };
}

/** Signs somebody in with a browser of their own, up to the question whether they allow it. */
export async function signIn(application: Application, { email, password }: Person): Promise<Browser> {
  const browser = createBrowser(application.issuer);
  const page = await browser.open(toRequest(application, newVerifier()));
  const after = await browser.submit(page, 'sign-in', { email, password });
  if (!after.html.includes('id="consent"')) throw new Error(`The sign-in led to ${after.status}.`);
  return browser;
}

/** A code for somebody who is signed in, and the verifier that it is redeemed with. */
export async function fetchCode(application: Application, browser: Browser) {
  const verifier = newVerifier();
  const { url, status } = await findResponse(await browser.open(toRequest(application, verifier)), browser);
  const code = url.searchParams.get('code');
  if (status !== 0 || code === null) throw new Error(`There is no code: ${status} ${url}`);
  return {
    grant_type: 'authorization_code',
    client_id: application.clientId,
    redirect_uri: REDIRECT_URI,
    code,
    code_verifier: verifier,
  };
}

/** Allows what is asked, where it is: to stay signed in is asked each time. */
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
