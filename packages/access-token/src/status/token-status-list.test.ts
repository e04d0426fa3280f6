import { createSigningKey, startTestIssuer, useStarted } from '@keydesk/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { createJwks } from '../keys/jwks.ts';
import { createTokenVerifier } from '../tokens/token-verifier.ts';
import { type SentList, startStatusListServer } from './status-list-server.fixture.ts';
import { createTokenStatusList, type TokenStatusListOptions } from './token-status-list.ts';

const PATIENT = { timeout: 20_000, interval: 10 };
const revoked = (index: number) => {
  const bytes = Buffer.alloc(16);
  bytes[index >> 3] = 1 << (index & 7);
  return bytes;
};

describe('a token status list (Token Status List §8.3)', () => {
  const issuer = useStarted(() => startTestIssuer());
  const server = useStarted(() => startStatusListServer(issuer));
  const ends: (() => unknown)[] = [];
  afterEach(() => {
    server.answerWith(200);
    server.publish({});
    for (const end of ends.splice(0)) end();
  });

  function open(options: Partial<TokenStatusListOptions> = {}) {
    const jwks = createJwks({ url: issuer.jwksUrl });
    const log: { level: string; message: string }[] = [];
    const write = (level: string) => (_: unknown, message: string) => void log.push({ level, message });
    const statusList = createTokenStatusList({
      issuer: issuer.issuer,
      uri: server.uri,
      jwks,
      pollSeconds: 0.02,
      log: { info: write('info'), warn: write('warn') },
      ...options,
    });
    ends.push(statusList.stop);
    const verifier = createTokenVerifier({
      issuer: issuer.issuer,
      audience: issuer.audience,
      jwks,
      statusList,
    });
    const verdictOf = (token: string) => verifier.verify(token).then(() => 'accepted', String);
    return { statusList, verdictOf, log };
  }

  const tokenAt = (idx: unknown, uri: unknown = server.uri) =>
    issuer.token({ status: { status_list: { idx, uri } } });
  const toBe = (verdict: () => Promise<string>, expected: string) =>
    expect.poll(verdict, PATIENT).toContain(expected);

  it('refuses a token within one poll of its revocation, even one that was verified before', async () => {
    const { verdictOf } = open();
    const [token, other] = [tokenAt(9), tokenAt(10)];
    expect(await verdictOf(token)).toBe('accepted');
    server.publish({ bytes: revoked(9) });
    await toBe(() => verdictOf(token), 'was revoked');
    expect(await verdictOf(other)).toBe('accepted');
    expect(await verdictOf(tokenAt(9))).toContain('was revoked');
  });

  it('is fetched before the first token is accepted', async () => {
    server.publish({ bytes: revoked(9) });
    const { verdictOf } = open();
    const verdicts = await Promise.all([verdictOf(tokenAt(9)), verdictOf(tokenAt(9)), verdictOf(tokenAt(8))]);
    expect(verdicts).toEqual([
      expect.stringContaining('was revoked'),
      expect.stringContaining('was revoked'),
      'accepted',
    ]);
  });

  it.each<[string, SentList, number[]]>([
    // The examples of §4.1.
    ['1', { bits: 1, bytes: Buffer.from('b9a3', 'hex') }, [1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0, 1]],
    ['2', { bits: 2, bytes: Buffer.from('c944f9', 'hex') }, [1, 2, 0, 3, 0, 1, 0, 1, 1, 2, 3, 3]],
    ['4', { bits: 4, bytes: Buffer.from('0f10', 'hex') }, [15, 0, 0, 1]],
    ['8', { bits: 8, bytes: Buffer.from('00ff', 'hex') }, [0, 255]],
  ])('reads statuses of %s bits, and accepts VALID only', async (_, list, statuses) => {
    server.publish(list);
    const { verdictOf } = open();
    const verdicts = await Promise.all(statuses.map((_status, index) => verdictOf(tokenAt(index))));
    expect(verdicts.map((verdict) => verdict === 'accepted')).toEqual(statuses.map((status) => status === 0));
  });

  it('is not sent again while it is unchanged, and not fetched without a token that needs it', async () => {
    const before = server.requests.length;
    const { verdictOf } = open();
    expect(await verdictOf(issuer.token())).toBe('accepted');
    expect(server.requests).toHaveLength(before);
    expect(await verdictOf(tokenAt(1))).toBe('accepted');
    await expect.poll(() => server.requests.length, PATIENT).toBeGreaterThan(before + 2);
    const statuses = server.requests.slice(before).map(({ status }) => status);
    expect(statuses).toEqual(statuses.map((_, i) => (i === 0 ? 200 : 304)));
  });

  it('is requested once until it changes, from a server that holds requests (RFC 7240 §4.3)', async () => {
    const own = await startStatusListServer(issuer);
    own.hold();
    const { verdictOf, statusList } = open({ uri: own.uri, pollSeconds: 3_600 });
    expect(await verdictOf(tokenAt(9, own.uri))).toBe('accepted');
    own.publish({ bytes: revoked(9) });
    await toBe(() => verdictOf(tokenAt(9, own.uri)), 'was revoked');
    expect(own.requests.map(({ status }) => status)).toEqual([200, 200]);
    statusList.stop();
    await own.stop();
  });

  it('is not polled while no token uses it, and fetched anew by the next one', async () => {
    const { verdictOf, statusList } = open({ idleSeconds: 0 });
    expect(await verdictOf(tokenAt(9))).toBe('accepted');
    await expect.poll(statusList.ageSeconds, PATIENT).toBeUndefined();
    server.publish({ bytes: revoked(9) });
    expect(await verdictOf(tokenAt(9))).toContain('was revoked');
  });

  describe('watched by open responses', () => {
    const reference = (index: number) => ({ uri: server.uri, index });

    it('reports a revoked status once, and no other', async () => {
      const { statusList, verdictOf } = open();
      const reported: number[] = [];
      for (const index of [8, 9, 9, 10]) statusList.watch(reference(index), () => void reported.push(index));
      statusList.watch(reference(9), () => void reported.push(0))();
      expect(await verdictOf(tokenAt(9))).toBe('accepted');
      server.publish({ bytes: revoked(9) });
      await expect.poll(() => reported, PATIENT).toEqual([9, 9]);
      const bytes = revoked(9);
      bytes[0] = 1;
      server.publish({ bytes });
      await toBe(() => verdictOf(tokenAt(0)), 'was revoked');
      expect(reported).toEqual([9, 9]);
    });

    it('immediately reports a status that is not valid at the start', async () => {
      server.publish({ bytes: revoked(9) });
      const { statusList, verdictOf } = open();
      expect(await verdictOf(tokenAt(8))).toBe('accepted');
      const reported: number[] = [];
      for (const index of [8, 9, 128]) statusList.watch(reference(index), () => void reported.push(index));
      expect(reported).toEqual([9, 128]);
    });

    it('is polled until the watch ends, even if no token is checked', async () => {
      const { statusList } = open({ idleSeconds: 0 });
      const reported: number[] = [];
      const unwatch = statusList.watch(reference(8), () => void reported.push(8));
      const before = server.requests.length;
      await expect.poll(() => server.requests.length, PATIENT).toBeGreaterThan(before + 3);
      expect(statusList.ageSeconds()).toBeDefined();
      unwatch();
      await expect.poll(statusList.ageSeconds, PATIENT).toBeUndefined();
      expect(reported).toEqual([]);
    });

    it('reports after an outage of the issuer', async () => {
      const { statusList } = open();
      const reported: number[] = [];
      statusList.watch(reference(9), () => void reported.push(9));
      server.answerWith(503);
      server.publish({ bytes: revoked(9) });
      const before = server.requests.length;
      await expect.poll(() => server.requests.length, PATIENT).toBeGreaterThan(before + 3);
      expect(reported).toEqual([]);
      server.answerWith(200);
      await expect.poll(() => reported, PATIENT).toEqual([9]);
    });
  });

  it.each<[string, () => string, string]>([
    ['an index outside of the list', () => tokenAt(128), 'not in the status list'],
    ['another list', () => tokenAt(1, 'https://other.example/list'), 'is unknown'],
    ['no index', () => tokenAt(undefined), 'malformed'],
    ['a negative index', () => tokenAt(-1), 'malformed'],
    ['a fraction', () => tokenAt(1.5), 'malformed'],
    ['no URI', () => tokenAt(1, null), 'malformed'],
    ['another mechanism', () => issuer.token({ status: { other: {} } }), 'malformed'],
    ['a text', () => issuer.token({ status: 'valid' }), 'malformed'],
  ])('refuses a token whose status is %s', async (_, token, reason) => {
    expect(await open().verdictOf(token())).toContain(reason);
  });

  const nowSeconds = () => Math.floor(Date.now() / 1000);
  const bomb = () => ({ bytes: Buffer.alloc(5 * 1024 * 1024) });
  it.each<[string, () => SentList | string]>([
    ['of another type', () => ({ overrides: { header: { typ: 'at+jwt' } } })],
    ['without a type', () => ({ overrides: { header: { typ: undefined } } })],
    ['of another issuer', () => ({ claims: { iss: 'https://other.example' } })],
    ['with another URI', () => ({ claims: { sub: 'https://other.example/list' } })],
    ['that has expired', () => ({ claims: { exp: nowSeconds() - 60 } })],
    ['of the future', () => ({ claims: { iat: nowSeconds() + 60 } })],
    ['older than the last one', () => ({ claims: { iat: nowSeconds() - 60 } })],
    ['without a time', () => ({ claims: { iat: undefined } })],
    ['signed by an unknown key', () => ({ overrides: { key: createSigningKey() } })],
    [
      'signed by a key of the same id',
      () => ({ overrides: { key: createSigningKey(issuer.currentKey.kid) } }),
    ],
    ['without a signature', () => ({ overrides: { header: { alg: 'none' }, sign: () => Buffer.alloc(0) } })],
    ['with a key in the header', () => ({ overrides: { header: { jwk: issuer.currentKey.jwk } } })],
    ['with 3 bits', () => ({ bits: 3 })],
    ['with a text as bits', () => ({ bits: '1' })],
    ['without a list', () => ({ claims: { status_list: undefined } })],
    ['that is not compressed', () => ({ claims: { status_list: { bits: 1, lst: 'AAAA' } } })],
    ['that expands to more than 4 MiB', bomb],
    ['that is no token', () => '<html>'],
  ])('ignores a list %s and keeps the last one', async (_, given) => {
    server.publish({ bytes: revoked(9) });
    const { verdictOf } = open();
    expect(await verdictOf(tokenAt(9))).toContain('was revoked');
    const list = given();
    const before = server.requests.length;
    typeof list === 'string' ? server.publishText(list) : server.publish(list);
    await expect
      .poll(() => server.requests.slice(before).filter(({ status }) => status === 200).length, PATIENT)
      .toBeGreaterThan(1);
    expect(await verdictOf(tokenAt(9))).toContain('was revoked');
    expect(await verdictOf(tokenAt(8))).toBe('accepted');
  });

  it('is kept while the issuer is down, reports its age and logs the failure once', async () => {
    let ahead = 0;
    const now = () => new Date(Date.now() + ahead);
    server.publish({ bytes: revoked(9) });
    const { verdictOf, statusList, log } = open({ now });
    expect(statusList.ageSeconds()).toBeUndefined();
    expect(await verdictOf(tokenAt(8))).toBe('accepted');
    expect(statusList.ageSeconds()).toBeLessThan(60);
    server.answerWith(500);
    ahead = 3_600_000;
    const before = server.requests.length;
    await expect.poll(() => server.requests.length, PATIENT).toBeGreaterThan(before + 3);
    expect(await verdictOf(tokenAt(8))).toBe('accepted');
    expect(await verdictOf(tokenAt(9))).toContain('was revoked');
    expect(statusList.ageSeconds()).toBeGreaterThanOrEqual(3_600);
    expect(log).toEqual([{ level: 'warn', message: 'the token status list could not be fetched' }]);
    ahead = 0;
    server.answerWith(200);
    const again = { level: 'info', message: 'the token status list is fetched again' };
    await expect.poll(() => log, PATIENT).toContainEqual(again);
  });

  it('lets tokens pass if the issuer was never reached', async () => {
    server.answerWith(503);
    const { verdictOf, statusList } = open();
    expect(await verdictOf(tokenAt(9))).toBe('accepted');
    expect(statusList.ageSeconds()).toBeUndefined();
  });
});
