import { createJwks } from '@keydesk/access-token';
import { createMetrics, type RepeatingTask } from '@keydesk/server';
import { createSigningKey } from '@keydesk/testing';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addTicketAs, type Send, signIn } from '../api/people/people.fixture.ts';
import { onEveryEngine } from '../storage/engines.fixture.ts';
import type { TestApi } from '../tests/api.fixture.ts';
import { useApi } from '../tests/use-api.fixture.ts';
import { startReceiver } from './start-receiver.ts';
import { RECEIVER, SECRET, startTransmitter, type Transmitter } from './transmitter.fixture.ts';

const PATIENT = { timeout: 60_000 };

let api: TestApi;
let transmitter: Transmitter;
let lines: string[];
const receivers: (RepeatingTask | undefined)[] = [];

/** Starts the receiver of one process. */
function start(clientSecret = SECRET, metrics = createMetrics()): RepeatingTask | undefined {
  const config = {
    issuer: api.issuer.issuer,
    securityEventsUrl: transmitter.url,
    securityEventsClientId: RECEIVER,
    securityEventsClientSecret: clientSecret,
  };
  const log = pino({ level: 'debug' }, { write: (line) => void lines.push(line) });
  const jwks = createJwks({ url: api.issuer.jwksUrl, cooldownSeconds: 0 });
  const receiver = startReceiver({ config, storage: api.storage, jwks, log, metrics, retryMs: 1 });
  receivers.push(receiver);
  return receiver;
}

let count = 0;

/** Adds a customer with a ticket. */
async function addCustomer() {
  count += 1;
  const email = `customer${count}@example.org`;
  const subject = `account-${count}`;
  const send = signIn(api, 'customer', email, { sub: subject, name: 'Ada Lovelace' });
  const ticket = await addTicketAs(send, { subject: `I am ${email}` });
  return { email, ticket, subId: { format: 'iss_sub', iss: api.issuer.issuer, sub: subject } };
}

const agent: Send = (...request) => signIn(api, 'agent', 'agent@example.com')(...request);
const readTicket = async (id: string) => (await agent('GET', `/ticket/${id}.json`)).json;

function describeErasure(): void {
  test('a deleted account is erased in people and tickets, then the event is acknowledged', async () => {
    const { email, ticket, subId } = await addCustomer();
    const other = await addCustomer();
    const jti = transmitter.send({ sub_id: subId });
    start();
    await expect.poll(() => transmitter.acknowledged, PATIENT).toContain(jti);
    expect(await readTicket(ticket)).toMatchObject({
      subject: 'I am [erased]',
      requester: { email: expect.stringMatching(/@erased\.invalid$/), name: null },
    });
    expect(await api.storage.people.findByEmail(email)).toBeUndefined();
    expect(await readTicket(other.ticket)).toMatchObject({ subject: `I am ${other.email}` });
    expect(lines.join('')).not.toContain(email);
  });

  test('a person without an address loses their name', async () => {
    const subject = 'sub without address';
    const claims = { role: 'agent', sub: subject, name: 'Grace Hopper', email: undefined };
    const ticket = await addTicketAs(
      signIn(api, 'agent', 'none@example.org', { ...claims, email_verified: undefined }),
    );
    const jti = transmitter.send({ sub_id: { format: 'iss_sub', iss: api.issuer.issuer, sub: subject } });
    start();
    await expect.poll(() => transmitter.acknowledged, PATIENT).toContain(jti);
    expect(JSON.stringify(await readTicket(ticket))).not.toContain('Grace Hopper');
  });

  test('a person who has another account keeps their data and loses only the deleted one', async () => {
    const [one, two] = [await addCustomer(), await addCustomer()];
    const admin = signIn(api, 'admin', 'admin@example.com');
    const idOf = async (ticket: string) => ((await readTicket(ticket)).requester as { id: string }).id;
    const into = await idOf(one.ticket);
    const path = `/person/${into}/merge.json`;
    expect((await admin('POST', path, { person_id: await idOf(two.ticket) })).status).toBe(200);
    const jti = transmitter.send({ sub_id: one.subId });
    start();
    await expect.poll(() => transmitter.acknowledged, PATIENT).toContain(jti);
    const record = await api.storage.people.find(into);
    expect(record?.identities.map(({ subject }) => subject)).toEqual([two.subId.sub]);
    expect(record?.person.addresses).toEqual(expect.arrayContaining([one.email, two.email]));
  });

  test('an account without a person in the helpdesk is acknowledged', async () => {
    const jti = transmitter.send({ sub_id: { format: 'iss_sub', iss: api.issuer.issuer, sub: 'unknown' } });
    start();
    await expect.poll(() => transmitter.acknowledged, PATIENT).toContain(jti);
  });
}

function describeDelivery(): void {
  test('an event whose acknowledgement was lost is acknowledged again, even by another process', async () => {
    const { ticket, subId } = await addCustomer();
    transmitter.loseAnswers(true);
    const jti = transmitter.send({ sub_id: subId });
    const first = start();
    await expect.poll(() => transmitter.deliveries.get(jti), PATIENT).toBeGreaterThan(2);
    await first?.stop();
    transmitter.loseAnswers(false);
    start();
    await expect.poll(() => transmitter.acknowledged, PATIENT).toContain(jti);
    expect(await readTicket(ticket)).toMatchObject({ subject: 'I am [erased]' });
  });

  test('several processes erase the same account concurrently', async () => {
    const { ticket, subId } = await addCustomer();
    const jti = transmitter.send({ sub_id: subId });
    for (let i = 0; i < 3; i += 1) start();
    await expect.poll(() => transmitter.acknowledged, PATIENT).toContain(jti);
    expect(await readTicket(ticket)).toMatchObject({ subject: 'I am [erased]' });
  });

  test('polling continues after failures of the transmitter', async () => {
    const { subId } = await addCustomer();
    transmitter.answerWith(503);
    start();
    await expect.poll(() => lines.join(''), PATIENT).toContain('could not be received');
    transmitter.answerWith(200);
    const jti = transmitter.send({ sub_id: subId });
    await expect.poll(() => transmitter.acknowledged, PATIENT).toContain(jti);
  });

  test('an event waits while the keys of the issuer are unavailable', async () => {
    const { subId } = await addCustomer();
    api.issuer.answerJwks('fail');
    const jti = transmitter.send({ sub_id: subId });
    start();
    await expect.poll(() => transmitter.deliveries.get(jti), PATIENT).toBeGreaterThan(1);
    expect(transmitter.rejected.size).toBe(0);
    api.issuer.answerJwks('serve');
    await expect.poll(() => transmitter.acknowledged, PATIENT).toContain(jti);
  });

  test('no secret reaches the log', async () => {
    start('another secret');
    await expect.poll(() => lines.join(''), PATIENT).toContain('status 401');
    expect(lines.join('')).not.toContain('another secret');
  });
}

function describeRejections(): void {
  test.each<[string, (issuer: string) => Parameters<Transmitter['send']>, string]>([
    ['for another receiver', () => [{ aud: 'receiver-2' }], 'invalid_audience'],
    ['of another issuer', () => [{ iss: 'https://evil.example' }], 'invalid_issuer'],
    ['without the type of events', () => [{}, { header: { typ: 'JWT' } }], 'invalid_request'],
    ['with an unknown key', () => [{}, { key: createSigningKey() }], 'invalid_key'],
    ['with another jti than that of the delivery', () => [{ jti: 'other' }], 'invalid_request'],
    [
      'about a subject of another issuer',
      () => [{ sub_id: { format: 'iss_sub', iss: 'https://evil.example', sub: 'x' } }],
      'invalid_request',
    ],
    [
      'about an e-mail address',
      () => [{ sub_id: { format: 'email', email: 'ada@example.org' } }],
      'invalid_request',
    ],
    ['without a subject', () => [{}], 'invalid_request'],
  ])('an event %s is rejected once and logged, and later ones are processed', async (_what, of, code) => {
    const { ticket, subId, email } = await addCustomer();
    const [claims, overrides] = of(api.issuer.issuer);
    const bad = transmitter.send(
      { ...(code === 'invalid_request' ? {} : { sub_id: subId }), ...claims },
      overrides,
    );
    start();
    await expect.poll(() => transmitter.rejected.get(bad), PATIENT).toBe(code);
    expect(lines.join('')).toContain('a security event was rejected');
    expect(await readTicket(ticket)).toMatchObject({ subject: `I am ${email}` });
    const good = transmitter.send({ sub_id: subId });
    await expect.poll(() => transmitter.acknowledged, PATIENT).toContain(good);
  });

  test('an event of an unknown type is acknowledged and ignored (RFC 8417 §2.2)', async () => {
    const { ticket, subId, email } = await addCustomer();
    const jti = transmitter.send({ sub_id: subId, events: { 'https://example.com/event': {} } });
    start();
    await expect.poll(() => transmitter.acknowledged, PATIENT).toContain(jti);
    expect(await readTicket(ticket)).toMatchObject({ subject: `I am ${email}` });
  });

  test('without a client there is no receiver', () => {
    const config = {
      issuer: api.issuer.issuer,
      securityEventsUrl: undefined,
      securityEventsClientId: undefined,
      securityEventsClientSecret: undefined,
    };
    const jwks = createJwks({ url: api.issuer.jwksUrl });
    const log = pino({ enabled: false });
    expect(startReceiver({ config, storage: api.storage, jwks, log })).toBeUndefined();
  });
}

onEveryEngine((createDatabase) => {
  useApi(createDatabase, (started) => {
    api = started;
  });
  beforeEach(async () => {
    lines = [];
    transmitter = await startTransmitter(api.issuer);
  });
  afterEach(async () => {
    await Promise.all(receivers.splice(0).map((receiver) => receiver?.stop()));
    await transmitter.stop();
  });
  describe('the event account-purged (OpenID RISC Profile 1.0 §2.2)', describeErasure);
  describe('the receiver of security events (RFC 8936 §2.4)', describeDelivery);
  describe('verification (RFC 8417 §4, RFC 8935 §2.4)', describeRejections);
});
