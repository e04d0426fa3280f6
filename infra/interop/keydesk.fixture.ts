import { readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { createBrowser, type Page } from '../../apps/auth/src/browser.fixture.ts';
import { type Deployment, startDeployment } from '../conformance/deployment.ts';

/** Both apps at `https://localhost`, one account, and the client of the test. */
export interface Keydesk extends Deployment {
  /** Environment of a process of the client library: it trusts the certificate of both apps. */
  env: Readonly<Record<string, string>>;
  /** Registers a client; returns the environment variables that tell a program who it is. */
  register(name: string, type: ClientType, ...more: readonly string[]): Promise<Record<string, string>>;
  /** Signs the account in with a new browser and allows the request; returns the page that follows. */
  authorize(url: string | URL): Promise<Page>;
}

type ClientType = 'web' | 'spa' | 'native' | 'machine';

/** Scopes that every interactive client of the suite is registered for and requests. */
export const SCOPE = 'openid profile email offline_access tickets:read tickets:write';
export const API_SCOPE = 'tickets:read tickets:write';

/** Starts both apps on free ports, and trusts their certificate in this process. */
export async function startKeydesk(): Promise<Keydesk> {
  const deployment = await startDeployment({});
  const { issuer, account, certificateFile } = deployment;
  setDefaultCACertificates([...getCACertificates('default'), readFileSync(certificateFile, 'utf8')]);
  const credentials = { email: account.email, password: account.password };
  return {
    ...deployment,
    env: {
      ...trustIn(certificateFile),
      PATH: process.env.PATH ?? '',
      ISSUER: issuer,
      API: deployment.api,
    },
    async register(name, type, ...more) {
      const { client_id, client_secret = '' } = await deployment.addClient(
        ...['--name', name, '--type', type, '--scope', API_SCOPE, ...more],
      );
      return { CLIENT_ID: client_id, CLIENT_SECRET: client_secret };
    },
    async authorize(url) {
      const browser = createBrowser(issuer);
      const consent = await browser.submit(await browser.open(url), 'sign-in', credentials);
      return browser.submit(consent, 'consent', { decision: 'allow' });
    },
  };
}

/** The variable that names trusted certificates: Node's, Python requests' and OpenSSL's, which Go reads too. */
function trustIn(file: string): Record<string, string> {
  return { NODE_EXTRA_CA_CERTS: file, REQUESTS_CA_BUNDLE: file, SSL_CERT_FILE: file };
}
