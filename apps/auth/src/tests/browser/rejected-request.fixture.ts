import { v7 as uuidv7 } from 'uuid';
import type { World } from './world.fixture.ts';

/** Builds a request with an invalid scope, from an unverified application with the redirect URI of the test application. */
export async function buildRejectedRequest({
  server,
  application,
}: Pick<World, 'server' | 'application'>): Promise<URL> {
  const { client } = await server.clients.register(
    { type: 'web', name: 'Printshop Status', scopes: ['openid'], redirectUris: [application.redirectUri] },
    { id: uuidv7(), limit: 1 },
  );
  const url = await application.buildSignInUrl({ parameters: { scope: 'openid tickets:read' } });
  url.searchParams.set('client_id', client.id);
  return url;
}
