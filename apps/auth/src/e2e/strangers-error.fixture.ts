import { v7 as uuidv7 } from 'uuid';
import type { World } from './world.fixture.ts';

/** Returns a request that is refused, of an application that a developer registered at the redirect URI of ours. */
export async function toStrangersError({
  server,
  application,
}: Pick<World, 'server' | 'application'>): Promise<URL> {
  const { client } = await server.clients.register(
    { type: 'web', name: 'Printshop Status', scopes: ['openid'], redirectUris: [application.redirectUri] },
    { id: uuidv7(), limit: 1 },
  );
  const url = await application.toSignIn({ parameters: { scope: 'openid tickets:read' } });
  url.searchParams.set('client_id', client.id);
  return url;
}
