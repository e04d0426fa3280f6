import { readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { createBrowser, type Page } from '../../apps/auth/src/tests/browser.fixture.ts';
import { type Deployment, startDeployment } from '../conformance/deployment.ts';

/** Both apps at `https://localhost` with one account and registered clients. */
export interface Keydesk extends Deployment {
  /** Environment of a client process, which trusts the certificate of both apps. */
  env: Readonly<Record<string, string>>;
  /** Registers a client; returns its credentials as environment variables. */
  register(name: string, type: ClientType, ...more: readonly string[]): Promise<Record<string, string>>;
  /** Signs the account in with a new browser and allows the request; returns the next page. */
  authorize(url: string | URL): Promise<Page>;
}

type ClientType = 'web' | 'spa' | 'native' | 'machine';

/** Scopes of every interactive client of the suite. */
export const SCOPE = 'openid profile email offline_access tickets:read tickets:write';
export const API_SCOPE = 'tickets:read tickets:write';

/** Starts both apps on free ports and trusts their certificate in this process. */
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

/**
 * Returns the variables for trusted certificates of Node, Python requests and OpenSSL; Go also reads the last one.
 */
function trustIn(file: string): Record<string, string> {
  return { NODE_EXTRA_CA_CERTS: file, REQUESTS_CA_BUNDLE: file, SSL_CERT_FILE: file };
}
