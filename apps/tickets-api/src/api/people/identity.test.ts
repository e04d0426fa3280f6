import { randomUUID } from 'node:crypto';
import type { AccessToken } from '@keydesk/access-token';
import { describe, expect, test } from 'vitest';
import { createPeople } from '../../helpdesk/people/people.ts';
import type { Person } from '../../helpdesk/people/person.ts';
import { ensurePerson } from '../../helpdesk/people/person-record.ts';
import { toViewer, type Viewer } from '../../helpdesk/people/viewer.ts';
import { onEveryEngine, openTwice } from '../../storage/engines.fixture.ts';
import type { TestDatabase } from '../../storage/test-database.fixture.ts';
import type { TestApi } from '../../tests/api.fixture.ts';
import { useApi } from '../../tests/use-api.fixture.ts';
import { addTicketAs, connect, listIds, type Send, signIn } from './people.fixture.ts';

let api: TestApi;
let agent: Send;

const secondsAgo = (seconds: number) => Math.floor(Date.now() / 1000) - seconds;
let count = 0;
/** Returns an account or address that no other test uses. */
const unused = (what: string) => `${what}${count++}`;
const newAddress = (name: string) => `${unused(name)}@example.com`;

/** Signs an account in with a token that has these claims. */
const signInAs = (sub: string, email: string, claims: Record<string, unknown> = {}) =>
  signIn(api, 'customer', email, { sub, ...claims });

async function personOf(send: Send): Promise<Record<string, unknown> & { id: string }> {
  return (await send('GET', '/me.json')).json.person as Record<string, unknown> & { id: string };
}

function identities(): void {
  test('keeps every ticket when their address changes', async () => {
    const [sub, first, second] = [unused('ada'), newAddress('ada'), newAddress('king')];
    const before = signInAs(sub, first, { iat: secondsAgo(60) });
    const own = await addTicketAs(before);
    const copied = await addTicketAs(agent, { cc: [{ email: first }] });
    const person = await personOf(before);
    const after = signInAs(sub, second);
    expect(await personOf(after)).toEqual({ ...person, email: second, addresses: [second, first] });
    for (const query of ['', '?requester=me', `?requester=${second}`, `?requester=${first}`]) {
      expect(await listIds(after, query), query).toEqual(query === '' ? [copied, own] : [own]);
    }
    for (const address of [first, second]) {
      expect(await listIds(agent, `?requester=${address}`)).toEqual([own]);
      expect(await listIds(agent, `?cc=${address}`)).toEqual([copied]);
    }
    const { json } = await agent('POST', '/tickets.json', { subject: 'x', requester: { email: first } });
    expect(json.requester).toEqual({ id: person.id, email: second, name: null });
  });

  test('is a new person when an account verifies an address that another account gave up', async () => {
    const [old, other, address, next] = [
      unused('a'),
      unused('b'),
      newAddress('given-up'),
      newAddress('next'),
    ];
    const owner = signInAs(old, address, { iat: secondsAgo(60) });
    const own = await addTicketAs(owner);
    const { id } = await personOf(owner);
    const newOwner = signInAs(other, address, { iat: secondsAgo(30) });
    expect(await listIds(newOwner)).toEqual([]);
    expect((await newOwner('GET', `/ticket/${own}.json`)).status).toBe(404);
    const newPerson = await personOf(newOwner);
    expect(newPerson).toMatchObject({ email: address, addresses: [address] });
    expect(newPerson.id).not.toBe(id);
    expect((await agent('GET', `/person/${id}.json`)).json).toMatchObject({ email: null, addresses: [] });
    const named = await agent('POST', '/tickets.json', { subject: 'x', requester: { email: address } });
    expect(named.json.requester).toMatchObject({ id: newPerson.id });
    const changed = signInAs(old, next);
    expect(await personOf(changed)).toMatchObject({ id, email: next, addresses: [next] });
    expect(await listIds(changed)).toEqual([own]);
  });

  test('does not regain an address by a token that was issued before the address moved', async () => {
    const address = newAddress('stale');
    const owner = signInAs(unused('a'), address, { iat: secondsAgo(60) });
    const own = await addTicketAs(owner);
    const newOwner = signInAs(unused('b'), address, { iat: secondsAgo(30) });
    const { id } = await personOf(newOwner);
    expect(await listIds(owner)).toEqual([own]);
    expect(await personOf(newOwner)).toMatchObject({ id, email: address });
    expect((await agent('GET', `/people.json?q=${address}`)).json.people).toMatchObject([{ id }]);
  });

  test('is the person who was named by their verified address earlier, without a duplicate', async () => {
    const address = newAddress('named');
    const named = await addTicketAs(agent, { requester: { email: address, name: 'Named' } });
    const first = signInAs(unused('a'), address, { iat: secondsAgo(60) });
    expect(await listIds(first)).toEqual([named]);
    expect(await personOf(first)).toMatchObject({ name: 'Named' });
    expect(await listIds(signInAs(unused('b'), address))).toEqual([]);
    expect(await listIds(first)).toEqual([named]);
  });

  test('gets the tickets of the person without an account whose address they verify later', async () => {
    const [sub, first, named] = [unused('ada'), newAddress('first'), newAddress('named')];
    const before = signInAs(sub, first, { iat: secondsAgo(60) });
    const own = await addTicketAs(before);
    const asked = await addTicketAs(agent, { requester: { email: named } });
    const copied = await addTicketAs(agent, { cc: [{ email: named }, { email: first }] });
    await agent('POST', `/ticket/${asked}/replies.json`, { body: 'By mail', author: { email: named } });
    const { json: old } = await agent('GET', `/people.json?q=${named}`);
    const [other] = old.people as [{ id: string }];
    expect(await listIds(before)).toEqual([copied, own]);
    const after = signInAs(sub, named);
    expect(await listIds(after)).toEqual([copied, asked, own]);
    const { id } = await personOf(after);
    const { json: ticket } = await agent('GET', `/ticket/${asked}.json`);
    expect(ticket.requester).toMatchObject({ id, email: named });
    expect((await agent('GET', `/ticket/${copied}.json`)).json.cc).toMatchObject([{ id }]);
    expect((await after('GET', `/ticket/${asked}/replies.json`)).json.replies).toMatchObject([
      { author: { id } },
    ]);
    const { events } = (await agent('GET', `/ticket/${asked}/events.json`)).json;
    expect((events as unknown[]).at(-1)).toMatchObject({ actor: { type: 'system' } });
    const gone = await agent('GET', `/person/${other.id}.json`);
    expect([gone.status, gone.json.detail]).toEqual([404, expect.stringContaining(id)]);
    expect(await personOf(after)).toMatchObject({ addresses: [named, first] });
  });

  test('is identified by the subject at the issuer, not by the address', async () => {
    const address = newAddress('same');
    const sub = unused('a');
    const own = await addTicketAs(signInAs(sub, address));
    for (const claims of [{ email_verified: false }, { email: undefined }]) {
      expect(await listIds(signInAs(sub, address, claims))).toEqual([own]);
      expect(await listIds(signInAs(unused('b'), address, claims))).toEqual([]);
    }
  });

  test('is not created for a machine (RFC 9068 §2.2)', async () => {
    const machine = connect(api, 'agent', unused('machine'));
    expect((await machine('GET', '/me.json')).json).toMatchObject({ person: null, email: null, name: null });
    const { status, json } = await machine('GET', '/tickets.json?requester=me');
    expect([status, json.code]).toEqual([400, 'validation_failed']);
  });

  test('has the role of the latest token, by which staff find people', async () => {
    const [sub, address] = [unused('a'), newAddress('promoted')];
    const people = async (role: string) =>
      (await agent('GET', `/people.json?q=${address}&role=${role}`)).json.people;
    signInAs(sub, address, { iat: secondsAgo(60) });
    await personOf(signInAs(sub, address, { iat: secondsAgo(60) }));
    expect([await people('customer'), await people('agent,admin')]).toMatchObject([
      [{ role: 'customer' }],
      [],
    ]);
    const promoted = signIn(api, 'agent', address, { sub });
    expect(await personOf(promoted)).toMatchObject({ role: 'agent', version: 2 });
    // An older token has outdated claims.
    await personOf(signInAs(sub, address, { iat: secondsAgo(30) }));
    expect([await people('customer'), await people('agent,admin')]).toMatchObject([[], [{ role: 'agent' }]]);
    const { status, json } = await agent('GET', '/people.json?role=owner');
    expect([status, json.errors]).toMatchObject([400, [{ field: 'role' }]]);
  });

  test('is not changed by further reads', async () => {
    const address = newAddress('calm');
    const someone = signInAs(unused('a'), address);
    for (let i = 0; i < 3; i++) await personOf(someone);
    expect((await agent('GET', `/people.json?q=${address}`)).json.people).toMatchObject([{ version: 1 }]);
  });
}

const nothingToMove = { adopt: async () => undefined, mask: async () => undefined };

function races(createDatabase: () => Promise<TestDatabase>): void {
  const opened = openTwice(createDatabase);
  const processes = () =>
    [opened.storage, opened.other].map(({ people }) =>
      createPeople({ store: people, now: () => new Date(), newId: randomUUID, ...nothingToMove }),
    );

  /** Sends one concurrent request per token; returns the people that they are signed in as. */
  async function race(claims: readonly Record<string, unknown>[]): Promise<readonly Person[]> {
    const racers = claims.map((each, i) => processes()[i % 2]?.withPerson(toTestViewer(each)));
    return (await Promise.all(racers)).flatMap((viewer) => viewer?.person ?? []);
  }

  test('of one account in two processes create one person', async () => {
    const [sub, email] = [unused('raced'), newAddress('raced')];
    const people = await race(Array.from({ length: 10 }, () => ({ sub, email })));
    expect(new Set(people.map(({ id }) => id)).size).toBe(1);
    expect(people).toHaveLength(10);
  });

  test.each([
    ['that is new', undefined],
    ['that an earlier request named', randomUUID()],
  ])('of several accounts with one address %s assign it to one of them', async (_, id) => {
    const email = newAddress('claimed');
    const { people: store } = opened.storage;
    if (id) await ensurePerson(store, { id, email, name: null }, new Date());
    const people = await race(Array.from({ length: 6 }, () => ({ sub: unused('claims'), email })));
    const ids = new Set(people.map((person) => person.id));
    expect(ids.size).toBe(6);
    const stored = await store.findAll([...ids]);
    expect(stored.filter(({ person }) => person.email === email)).toHaveLength(1);
    expect(stored.every(({ identities }) => identities.length === 1)).toBe(true);
    if (id) expect(ids).toContain(id);
  });
}

function toTestViewer({ sub, email }: Record<string, unknown>): Viewer {
  const claims = { iss: 'https://id.example', iat: 1_780_000_000, email, email_verified: true };
  const token = {
    subject: String(sub),
    clientId: 'app',
    scopes: new Set<string>(),
    role: 'customer',
    claims,
  };
  return toViewer(token as unknown as AccessToken) as Viewer;
}

onEveryEngine((createDatabase) => {
  useApi(createDatabase, (started) => {
    api = started;
    agent = signIn(api, 'agent', 'grace@example.com', { name: 'Grace' });
  });
  describe('a person', identities);
  describe('concurrent first sign-ins', () => races(createDatabase));
});
