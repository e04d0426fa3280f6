import { setTimeout } from 'node:timers/promises';
import { startTestIssuer } from '@keydesk/testing';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startWorld, type World } from '../resource-server.fixture.ts';
import { createJwks, type JwksOptions } from './jwks.ts';

async function start(settings: Partial<JwksOptions> = {}) {
  const world = await startWorld(settings);
  onTestFinished(world.stop);
  return world;
}

describe('a flood of unknown key ids', () => {
  const impatient = { timeoutMilliseconds: 1_000 };
  const states: [string, (world: World) => Promise<unknown> | undefined, Partial<JwksOptions>?][] = [
    ['nothing was fetched yet', () => undefined],
    ['the set is fresh', (world) => world.presentNew()],
    ['the set is due for a refresh', (world) => warmUp(world, 125)],
    ['the set has not been used for long', (world) => warmUp(world, 3_600)],
    ['the set is too old to be used', (world) => warmUp(world, 100_000)],
    ['the issuer answers 500 from the start', async ({ issuer }) => issuer.answerJwks('fail')],
    ['the issuer has been answering 500', (world) => breakDown(world, 'fail')],
    ['the issuer hangs from the start', async ({ issuer }) => issuer.answerJwks('hang'), impatient],
    ['the issuer has been hanging', (world) => breakDown(world, 'hang'), impatient],
    ['the issuer is down from the start', ({ issuer }) => issuer.goDown()],
    ['the issuer has been down', (world) => breakDown(world)],
  ];

  it.each(states)('causes one fetch in 30 seconds when %s', async (_, reach, settings) => {
    const world = await start(settings);
    await reach(world);
    const before = world.server.fetchCount();
    const statuses = new Set<number>();
    const flood = async () => {
      for (const status of await world.flood()) statuses.add(status);
      await world.server.settled();
    };
    for (const pause of [0, 1, 9, 19]) {
      world.advanceSeconds(pause);
      await flood();
    }
    expect(world.server.fetchCount() - before).toBe(1);
    world.advanceSeconds(2);
    await flood();
    expect(world.server.fetchCount() - before).toBe(2);
    for (const status of statuses) expect([401, 503]).toContain(status);
  });

  it('causes no fetch in the 30 seconds after a background refresh failed', async () => {
    const world = await start();
    await warmUp(world, 125);
    world.issuer.answerJwks('fail');
    expect(await world.presentNew()).toBe(200);
    await world.server.settled();
    const before = world.server.fetchCount();
    world.advanceSeconds(29);
    expect(await world.flood()).toEqual([503]);
    expect(world.server.fetchCount()).toBe(before);
  });

  async function warmUp(world: World, ageSeconds: number) {
    expect(await world.presentNew()).toBe(200);
    world.advanceSeconds(ageSeconds);
  }

  async function breakDown(world: World, answer?: 'fail' | 'hang') {
    expect(await world.presentNew()).toBe(200);
    if (answer === undefined) await world.issuer.goDown();
    else world.issuer.answerJwks(answer);
    world.advanceSeconds(600);
    expect(await world.presentNew()).toBe(200);
    await world.server.settled();
    world.advanceSeconds(31);
  }
});

describe('a key that was published a moment ago', () => {
  it('is found even when the set was fetched less than 30 seconds ago', async () => {
    const { issuer, advanceSeconds, presentNew } = await start();
    expect(await presentNew()).toBe(200);
    for (let rotation = 0; rotation < 3; rotation += 1) {
      advanceSeconds(1);
      issuer.useKey(issuer.publishKey());
      expect(await presentNew()).toBe(200);
    }
  });

  it('is found during a flood of unknown ids when it was published one refresh period before use', async () => {
    const { issuer, server, advanceSeconds, presentNew, flood } = await start();
    expect(await presentNew()).toBe(200);
    const next = issuer.publishKey();
    for (let seconds = 0; seconds < 150; seconds += 10) {
      advanceSeconds(10);
      expect(await flood(5)).toEqual([401]);
    }
    await server.settled();
    issuer.useKey(next);
    expect(await presentNew()).toBe(200);
  });

  it('is awaited by all requests while one fetch is in progress', async () => {
    const { issuer, server, presentNew } = await start();
    expect(await presentNew()).toBe(200);
    issuer.useKey(issuer.publishKey());
    issuer.answerJwks((_, serve) => void setTimeout(50).then(serve));
    const before = server.fetchCount();
    expect(await Promise.all(Array.from({ length: 20 }, presentNew))).toEqual(Array(20).fill(200));
    expect(server.fetchCount() - before).toBe(1);
  });

  it('is found even when a fetch started before its publication is still in progress', async () => {
    const { issuer, server, advanceSeconds, presentNew } = await start();
    expect(await presentNew()).toBe(200);
    const delayed: (() => void)[] = [];
    issuer.answerJwks((_, serve) => delayed.push(serve));
    advanceSeconds(125);
    expect(await presentNew()).toBe(200);
    while (delayed.length === 0) await setTimeout(1);
    issuer.answerJwks('serve');
    issuer.useKey(issuer.publishKey());
    const before = server.arrivals();
    const answer = presentNew();
    await expect.poll(server.arrivals).toBe(before + 1);
    await setTimeout(20);
    for (const serve of delayed) serve();
    expect(await answer).toBe(200);
    expect(server.fetchCount()).toBe(3);
  });

  it('never causes a 401 for a valid token under load, over many rotations', async () => {
    const { issuer, advanceSeconds, presentNew } = await start();
    const burst = () => Promise.all(Array.from({ length: 10 }, presentNew));
    const statuses = new Set<number>();
    for (let rotation = 0; rotation < 10; rotation += 1) {
      const retired = issuer.currentKey;
      const next = issuer.publishKey();
      const steps = [
        () => advanceSeconds(125),
        () => issuer.useKey(next),
        () => advanceSeconds(125),
        () => issuer.retireKey(retired),
      ];
      for (const step of steps) {
        const before = burst();
        step();
        for (const status of [...(await before), ...(await burst())]) statuses.add(status);
      }
    }
    expect([...statuses]).toEqual([200]);
  });
});

describe('a change of the system clock', () => {
  afterEach(() => void vi.useRealTimers());

  const hour = 3_600_000;

  async function startFollowing(
    settings: Partial<JwksOptions> = { refreshSeconds: 0.1, cooldownSeconds: 0.1 },
  ) {
    vi.useFakeTimers({ toFake: ['Date'], shouldAdvanceTime: true });
    const issuer = await startTestIssuer();
    onTestFinished(issuer.stop);
    const jwks = createJwks({ url: issuer.jwksUrl, ...settings });
    return { issuer, jwks, kid: issuer.currentKey.kid };
  }

  const set = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds);

  it('backwards does not delay the retry after a failure', async () => {
    const { issuer, jwks, kid } = await startFollowing();
    issuer.answerJwks('fail');
    await expect(jwks.findKey(kid)).rejects.toThrow();
    set(-hour);
    issuer.answerJwks('serve');
    await setTimeout(150);
    expect(await jwks.findKey(kid)).toBeDefined();
  });

  it('backwards does not delay the refresh, so that a removed key is refused in time', async () => {
    const { issuer, jwks, kid } = await startFollowing();
    await jwks.findKey(kid);
    issuer.retireKey(issuer.currentKey);
    issuer.publishKey();
    set(-hour);
    await setTimeout(250);
    expect(await jwks.findKey(kid)).toBeUndefined();
  });

  it('forwards does not expire keys while the issuer is down', async () => {
    // The default refresh period exceeds the duration of the test.
    const { issuer, jwks, kid } = await startFollowing({});
    await jwks.findKey(kid);
    await issuer.goDown();
    set(48 * hour);
    expect(jwks.currentKey(kid)).toBeDefined();
  });
});
