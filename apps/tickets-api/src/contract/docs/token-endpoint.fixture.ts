import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** The one endpoint of an authorization server that the page talks to (RFC 6749 §4.4), for one client. */
export interface TokenEndpoint {
  issuer: string;
  stop(): Promise<void>;
}

export async function startTokenEndpoint(
  client: { id: string; secret: string },
  createToken: (scope: string) => string,
): Promise<TokenEndpoint> {
  const server = createServer(async (request, response) => {
    const form = new URLSearchParams(await text(request));
    const isKnown = form.get('client_id') === client.id && form.get('client_secret') === client.secret;
    const isGranted = request.url === '/token' && form.get('grant_type') === 'client_credentials' && isKnown;
    const scope = form.get('scope') ?? '';
    const answer = isGranted
      ? { access_token: createToken(scope), token_type: 'Bearer', expires_in: 600, scope }
      : { error: 'invalid_client', error_description: 'client authentication failed' };
    response
      .writeHead(isGranted ? 200 : 401, {
        'Content-Type': 'application/json',
        'Access-Control-Allow-Origin': '*',
      })
      .end(JSON.stringify(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
