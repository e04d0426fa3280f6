import { describeWith, findFreePort } from '@keydesk/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStorage } from '../../apps/auth/src/storage/open-storage.ts';
import {
  type TestDatabase as AuthDatabase,
  createMongoDatabase as createAuthMongo,
  createSqliteDatabase as createAuthSqlite,
} from '../../apps/auth/src/storage/test-database.fixture.ts';
import { type Journey, obtainTokens, startJourney } from '../../apps/auth/src/tests/people.fixture.ts';
import { password, startTestServer, type TestServer } from '../../apps/auth/src/tests/test-server.fixture.ts';
import { type Mailbox, startMailbox } from '../../apps/auth/src/web/account/mailbox.fixture.ts';
import {
  type TestDatabase as ApiDatabase,
  createMongoDatabase as createApiMongo,
  createSqliteDatabase as createApiSqlite,
} from '../../apps/tickets-api/src/storage/test-database.fixture.ts';
import { type ServerProcess, startServer } from '../bench/processes.ts';

/** The authorization server and the API on separate databases. */
interface World {
  mailbox: Mailbox;
  server: TestServer;
  api: ServerProcess;
}

interface Databases {
  auth: AuthDatabase;
  api: ApiDatabase;
}

/** Starts both programs before the tests of the calling suite and stops them after it. */
function useWorld(createDatabases: () => Promise<Databases>): World {
  const world: Partial<World> = {};
  const ends: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    const port = await findFreePort();
    const apiAudience = `http://127.0.0.1:${port}`;
    const databases = await createDatabases();
    const storage = await openStorage(databases.auth.location);
    const mailbox = await startMailbox();
    const server = await startTestServer(storage, { config: { ...mailbox.config, apiAudience } });
    const api = await startServer('apps/tickets-api/src/main.ts', port, {
      ISSUER: server.url,
      BASE_URL: apiAudience,
      API_PORT: String(port),
      STORAGE_URL: databases.api.storageUrl,
    });
    Object.assign(world, { mailbox, server, api });
    ends.push(api.stop, server.stop, mailbox.stop, storage.close);
    ends.push(databases.auth.drop, databases.api.drop);
  });
  afterAll(async () => {
    for (const end of ends) await end();
  });
  return world as World;
}

interface Person {
  id: string;
  email: string | null;
}

/** Response members of a ticket, a list and `/me`. */
interface Body {
  id: string;
  requester: Person;
  tickets: { id: string }[];
  person: Person;
}

/** Sends a request to the API with a new token of the user. */
async function send({ api }: World, journey: Journey, method: string, path: string, body?: unknown) {
  const scope = 'openid profile email tickets:read tickets:write';
  const { access_token } = await obtainTokens(journey, { scope });
  const response = await fetch(api.url + path, {
    method,
    headers: { Authorization: `Bearer ${access_token}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, json: (await response.json()) as Body };
}

/** Changes the address on the account page and confirms it with the link in the mail. */
async function changeAddress({ mailbox }: World, journey: Journey, email: string): Promise<Journey> {
  await obtainTokens(journey);
  const page = await journey.browser.open('/account/email');
  const wait = await journey.browser.submit(page, 'change-email', { email, current_password: password });
  expect(wait.url.pathname).toBe('/check-mail');
  const confirm = await journey.browser.open(await mailbox.linkTo(email, '/confirm-email'));
  await journey.browser.submit(confirm, 'verify-email');
  expect((await journey.browser.open('/account')).html).toContain(email);
  return { ...journey, email };
}

const idsOf = (answer: { json: Body }) => answer.json.tickets.map(({ id }) => id);

function people(createDatabases: () => Promise<Databases>): void {
  const world = useWorld(createDatabases);
  const startCustomer = () => startJourney(world.server, { role: 'customer' });

  test('a user who changes their address keeps their tickets', async () => {
    const before = await startCustomer();
    const { json: ticket } = await send(world, before, 'POST', '/tickets.json', {
      subject: 'The printer is on fire',
    });
    expect(ticket.requester).toMatchObject({ email: before.email });
    const after = await changeAddress(world, before, 'ada.king@example.org');
    expect(idsOf(await send(world, after, 'GET', '/tickets.json'))).toEqual([ticket.id]);
    const { json } = await send(world, after, 'GET', '/me.json');
    expect(json).toMatchObject({
      email: 'ada.king@example.org',
      person: { id: ticket.requester.id, addresses: ['ada.king@example.org', before.email] },
    });
    const path = `/ticket/${ticket.id}.json`;
    expect((await send(world, after, 'PATCH', path, { priority: 'urgent' })).status).toBe(200);
  });

  test('another account that verifies the old address is a new person without tickets', async () => {
    const owner = await startCustomer();
    const { json: ticket } = await send(world, owner, 'POST', '/tickets.json', { subject: 'Mine' });
    const moved = await changeAddress(world, owner, 'moved@example.org');
    const stranger = await changeAddress(world, await startCustomer(), owner.email);
    expect(idsOf(await send(world, stranger, 'GET', '/tickets.json'))).toEqual([]);
    expect((await send(world, stranger, 'GET', `/ticket/${ticket.id}.json`)).status).toBe(404);
    const { json: newcomer } = await send(world, stranger, 'GET', '/me.json');
    expect(newcomer.person).toMatchObject({ email: owner.email, addresses: [owner.email] });
    expect(newcomer.person.id).not.toBe(ticket.requester.id);
    expect(idsOf(await send(world, moved, 'GET', '/tickets.json'))).toEqual([ticket.id]);
    expect((await send(world, moved, 'GET', '/me.json')).json.person).toMatchObject({
      id: ticket.requester.id,
      addresses: ['moved@example.org'],
    });
  });
}

describe('a person is an account of the authorization server (OpenID Connect Core §5.7)', () => {
  describe('on SQLite', () =>
    people(async () => ({ auth: await createAuthSqlite(), api: await createApiSqlite() })));
  describeWith('mongodb', 'on MongoDB', (url) =>
    people(async () => ({ auth: await createAuthMongo(url), api: await createApiMongo(url) })),
  );
});
