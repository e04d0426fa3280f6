import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { createCertificate } from '@keydesk/testing';
import * as oauth from 'openid-client';
import { createBrowser } from '../../tests/browser.fixture.ts';
import { createRequest, type Journey, REDIRECT_URI } from '../../tests/people.fixture.ts';
import type { TestServer } from '../../tests/test-server.fixture.ts';

const usualCertificates = getCACertificates('default');

/** Starts the web server of an application, with the documents that a test publishes. */
export async function startApplication() {
  const certificate = createCertificate();
  setDefaultCACertificates([...usualCertificates, certificate.cert]);
  const documents = new Map<string, { status?: number; headers?: Record<string, string>; body: string }>();
  const fetched: string[] = [];
  const server = createServer(certificate, (request, response) => {
    const path = request.url ?? '';
    fetched.push(path);
    const { status = 200, headers = {}, body } = documents.get(path) ?? { status: 404, body: '' };
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `https://localhost:${(server.address() as AddressInfo).port}`;

  return {
    origin,
    documents,
    fetched,
    /** Publishes the document of a public client with the given overrides and returns its URL, the `client_id`. */
    publish(path: string, members: Readonly<Record<string, unknown>> = {}): string {
      const document = {
        client_id: origin + path,
        client_name: 'Notebook',
        redirect_uris: [REDIRECT_URI],
        token_endpoint_auth_method: 'none',
        ...members,
      };
      documents.set(path, { body: JSON.stringify(document) });
      return origin + path;
    },
    async stop() {
      setDefaultCACertificates(usualCertificates);
      server.close().closeAllConnections();
    },
  };
}

/** Creates a user with a browser and an application that only its document describes. */
export async function startDocumentJourney(server: TestServer, clientId: string): Promise<Journey> {
  const account = await server.addAccount({ role: 'customer' });
  return {
    server,
    email: account.email,
    accountId: account.id,
    clientId,
    clientSecret: null,
    browser: createBrowser(server.url),
    application: await oauth.discovery(new URL(server.url), clientId, undefined, oauth.None(), {
      execute: [oauth.allowInsecureRequests],
    }),
  };
}

/** Sends an authorization request of such an application and returns the response. */
export async function requestAuthorization(
  server: TestServer,
  clientId: string,
): Promise<{ status: number; html: string }> {
  const journey = await startDocumentJourney(server, clientId);
  const { url } = await createRequest(journey, { scope: 'openid' });
  return journey.browser.open(url);
}
