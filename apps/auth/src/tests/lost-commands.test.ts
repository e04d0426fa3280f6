import { type CommandInTransit, type CommandProxy, describeWith, startCommandProxy } from '@keydesk/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStorage } from '../storage/open-storage.ts';
import { createMongoDatabase } from '../storage/test-database.fixture.ts';
import { obtainTokens, startJourney } from './people.fixture.ts';
import { basic, startTestServer, type TestServer } from './test-server.fixture.ts';

/** Commands of the driver and of the process that belong to no request. */
const background = ['hello', 'ismaster', 'isMaster', 'ping', 'endSessions'];
const isOfRequests = ({ name, collection }: CommandInTransit) =>
  !background.includes(name) && !(name === 'update' && collection === 'committers');
const nameOf = ({ part, name, collection }: CommandInTransit) =>
  [part, name, collection].filter(Boolean).join(' ');

/** A request that can be sent again. */
interface Repeatable {
  send(): Promise<Response>;
  /** Throws unless the request was applied. */
  verify(body: Record<string, string>): Promise<void>;
}

describeWith('mongodb', 'a connection to MongoDB that is reset at any command', (url) => {
  let proxy: CommandProxy;
  let server: TestServer;
  const ends: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    const database = await createMongoDatabase(url);
    proxy = await startCommandProxy(Number(new URL(url).port));
    const behind = new URL(url);
    behind.port = String(proxy.port);
    behind.searchParams.set('directConnection', 'true');
    const storage = await openStorage({ ...database.location, url: behind.href });
    server = await startTestServer(storage);
    ends.push(server.stop, storage.close, proxy.close, database.drop);
  });
  afterAll(async () => {
    proxy.apply(undefined);
    for (const end of ends) await end();
  });

  function post(path: string, client: { id: string; secret: string | null }, form: Record<string, string>) {
    const body = new URLSearchParams(form);
    return fetch(server.url + path, { method: 'POST', headers: basic(client.id, client.secret), body });
  }

  async function signedIn() {
    const journey = await startJourney(server);
    const { access_token, refresh_token } = await obtainTokens(journey);
    const client = { id: journey.clientId, secret: journey.clientSecret };
    return { client, access_token, refresh_token: String(refresh_token) };
  }

  /** Tokens that several requests use, because a sign-in takes long. */
  let newest: Awaited<ReturnType<typeof signedIn>> | undefined;

  const requests: Record<string, () => Promise<Repeatable>> = {
    'a token of a client': async () => {
      const client = await server.addClient();
      return {
        send: () => post('/token', client, { grant_type: 'client_credentials' }),
        verify: async ({ access_token }) => expect(access_token).toBeDefined(),
      };
    },
    'a refresh': async () => {
      const { client, refresh_token } = newest ?? (await signedIn());
      const refresh = (token: string) =>
        post('/token', client, { grant_type: 'refresh_token', refresh_token: token });
      return {
        send: () => refresh(refresh_token),
        async verify(tokens) {
          const response = await refresh(String(tokens.refresh_token));
          expect(response.status).toBe(200);
          newest = {
            client,
            ...((await response.json()) as Record<'access_token' | 'refresh_token', string>),
          };
        },
      };
    },
    'a revocation': async () => {
      const { client, access_token, refresh_token } = await signedIn();
      return {
        send: () => post('/token/revocation', client, { token: refresh_token }),
        async verify() {
          const response = await post('/token/introspection', client, { token: access_token });
          expect(await response.json()).toEqual({ active: false });
        },
      };
    },
    'an introspection': async () => {
      newest ??= await signedIn();
      const { client, access_token } = newest;
      return {
        send: () => post('/token/introspection', client, { token: access_token }),
        verify: async ({ active }) => expect(active).toBe(true),
      };
    },
  };

  /** Lists the messages of a request that succeeds. */
  async function listMessages({ send }: Repeatable): Promise<string[]> {
    const names = new Set<string>();
    proxy.apply((command) => void (isOfRequests(command) && names.add(nameOf(command))));
    expect((await send()).status).toBe(200);
    proxy.apply(undefined);
    return [...names];
  }

  /** Sends a request while the connection is reset at the first message of a name. */
  async function sendLosing(name: string, { send }: Repeatable): Promise<Response> {
    let isLost = false;
    proxy.apply((command) => {
      if (isLost || nameOf(command) !== name) return undefined;
      isLost = true;
      return 'reset';
    });
    const response = await send();
    proxy.apply(undefined);
    return response;
  }

  it.each(Object.keys(requests))(
    'ends %s with 200, or 503 and Retry-After, and its repetition with 200',
    async (name) => {
      const create = requests[name] as () => Promise<Repeatable>;
      const messages = await listMessages(await create());
      for (const message of messages) {
        const request = await create();
        let response = await sendLosing(message, request);
        const retryAfter = response.headers.get('retry-after');
        expect([message, response.status, retryAfter]).toEqual(
          response.ok ? [message, 200, null] : [message, 503, expect.stringMatching(/^\d+$/)],
        );
        while (response.status === 503) response = await request.send();
        const text = await response.text();
        expect([message, response.status], text).toEqual([message, 200]);
        await request.verify(text === '' ? {} : JSON.parse(text));
      }
    },
  );
});
