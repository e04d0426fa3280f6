import { useStarted } from '@keydesk/testing';
import { v7 as uuidv7 } from 'uuid';
import { type Engine, type UsedStorage, useStorage } from '../../storage/engines.fixture.ts';
import { startTestServer, type TestServer } from '../../tests/test-server.fixture.ts';
import type { InitialAccessToken } from './initial-access-token-store.ts';
import { createInitialAccessTokens } from './initial-access-tokens.ts';

export const REDIRECT_URI = 'https://app.example/callback';
/** Metadata of a web application. */
export const web = { client_name: 'Printshop', redirect_uris: [REDIRECT_URI] };

export interface Answer {
  status: number;
  headers: Headers;
  body: Record<string, unknown> & { error?: string; error_description?: string };
}

/** A server with dynamic client registration. */
export interface RegistrationServer {
  server: TestServer;
  storage: UsedStorage;
  /** Creates an initial access token. */
  addToken(uses?: number, lifeSeconds?: number): Promise<{ token: string; stored: InitialAccessToken }>;
  /** Sends a request; a string is sent as is, any other body as JSON. */
  send(method: string, url: string, token: string | undefined, body?: unknown): Promise<Answer>;
  /** Registers a client; default: with a new initial access token. */
  register(metadata: unknown, token?: string): Promise<Answer>;
}

/** Runs the server for the current suite. */
export function useRegistrationServer(engine: Engine): RegistrationServer {
  const storage = useStorage(engine);
  const server = useStarted(() =>
    startTestServer(storage.get(), {
      config: {
        registrationGrantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
        registrationRateLimitPerAddress: 0,
      },
    }),
  );

  function addToken(uses = 5, lifeSeconds = 3_600) {
    const store = storage.get().initialAccessTokens;
    const now = () => new Date(Date.now() + server.time.ahead);
    const tokens = createInitialAccessTokens({ store, now, newId: uuidv7 });
    return tokens.add({ name: 'partner', uses, lifeSeconds });
  }

  async function send(
    ...[method, url, token, body]: Parameters<RegistrationServer['send']>
  ): Promise<Answer> {
    const response = await fetch(new URL(url, server.url), {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
  }

  return {
    server,
    storage,
    addToken,
    send,
    register: async (metadata, token) => send('POST', '/reg', token ?? (await addToken()).token, metadata),
  };
}

/** Returns the client configuration endpoint of a registered client. */
export function uriOf({ body }: Answer): string {
  return String(body.registration_client_uri);
}

/** Returns the registration access token of a response. */
export function tokenOf({ body }: Answer): string {
  return String(body.registration_access_token);
}
