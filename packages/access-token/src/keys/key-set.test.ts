import type { ServerResponse } from 'node:http';
import { createSigningKey } from '@keydesk/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startWorld, type World } from '../resource-server.fixture.ts';
import type { JwksOptions } from './jwks.ts';

async function start(settings: Partial<JwksOptions> = {}) {
  const world = await startWorld(settings);
  onTestFinished(world.stop);
  return world;
}

describe('a key removed from the set', () => {
  it('is refused after the next refresh, even for cached tokens', async () => {
    const { issuer, server, advanceSeconds, presentNew } = await start();
    const token = issuer.token();
    expect(await server.present(token)).toMatchObject({ status: 200 });
    issuer.retireKey(issuer.currentKey);
    issuer.useKey(issuer.publishKey());
    advanceSeconds(125);
    await presentNew();
    await server.settled();
    expect(await server.present(token)).toMatchObject({ status: 401 });
    expect(await presentNew()).toBe(200);
  });

  it('is refused at once by a server after a long idle time', async () => {
    const { issuer, server, advanceSeconds } = await start();
    const token = issuer.token();
    expect(await server.present(token)).toMatchObject({ status: 200 });
    issuer.retireKey(issuer.currentKey);
    issuer.publishKey();
    advanceSeconds(300);
    expect(await server.present(token)).toMatchObject({ status: 401 });
  });

  it('causes 503, not 401, when it was the last one', async () => {
    const { issuer, server, advanceSeconds } = await start();
    const token = issuer.token();
    expect(await server.present(token)).toMatchObject({ status: 200 });
    issuer.retireKey(issuer.currentKey);
    advanceSeconds(300);
    expect(await server.present(token)).toMatchObject({ status: 503 });
  });

  it('is refused when another key has its id', async () => {
    const { issuer, server, advanceSeconds } = await start();
    const token = issuer.token();
    expect(await server.present(token)).toMatchObject({ status: 200 });
    issuer.retireKey(issuer.currentKey);
    issuer.publishKey(createSigningKey(issuer.currentKey.kid));
    advanceSeconds(300);
    expect(await server.present(token)).toMatchObject({ status: 401 });
  });
});

describe('while the issuer fails', () => {
  const impatient = { timeoutMilliseconds: 1_000 };
  const faults: [string, (world: World) => Promise<void> | void, Partial<JwksOptions>?][] = [
    ['is down', ({ issuer }) => issuer.goDown()],
    ['answers 500', ({ issuer }) => issuer.answerJwks('fail')],
    ['answers 500 with a key set', ({ issuer }) => issuer.answerJwks(failWithKeySet(issuer.currentKey.jwk))],
    ['hangs', ({ issuer }) => issuer.answerJwks('hang'), impatient],
    [
      'never ends its response',
      ({ issuer }) => issuer.answerJwks((response) => response.write('{')),
      impatient,
    ],
    [
      'sends too much',
      ({ issuer }) => issuer.answerJwks((response) => response.end(hugeKeySet(issuer.currentKey.jwk))),
    ],
    ['sends no JSON', ({ issuer }) => issuer.answerJwks((response) => response.end('<html>'))],
    ['sends no key set', ({ issuer }) => issuer.answerJwks((response) => response.end('{"keys":{}}'))],
    ['redirects', ({ issuer }) => issuer.answerJwks(redirect)],
  ];

  it.each(faults)('a server with keys works for another day when it %s', async (_, fault, settings) => {
    const world = await start(settings);
    expect(await world.presentNew()).toBe(200);
    await fault(world);
    world.advanceSeconds(600);
    expect(await world.presentNew()).toBe(200);
    await world.server.settled();
    world.advanceSeconds(23 * 3600);
    expect(await world.presentNew()).toBe(200);
    await world.server.settled();
    world.advanceSeconds(3600);
    expect(await world.presentNew()).toBe(503);
  });

  it.each(faults)(
    'a server without keys responds 503 when it %s, until it recovers',
    async (_, fault, settings) => {
      const world = await start(settings);
      await fault(world);
      const answer = await world.server.present(world.issuer.token());
      expect(answer).toMatchObject({ status: 503, retryAfter: '30', challenge: undefined });
      world.issuer.answerJwks('serve');
      await world.issuer.comeUp();
      expect(await world.presentNew()).toBe(503);
      world.advanceSeconds(30);
      expect(await world.presentNew()).toBe(200);
    },
  );

  it('a token with an invalid form or claims gets 401 even before the first fetch, and causes none', async () => {
    const { issuer, server } = await start();
    await issuer.goDown();
    for (const token of ['x', `${issuer.token()}=`, issuer.token({ exp: 1 }), issuer.token({ aud: 'other' })])
      expect(await server.present(token)).toMatchObject({ status: 401 });
    expect(server.fetchCount()).toBe(0);
  });

  it('a token of an unknown key gets 503, because the key could be new', async () => {
    const { issuer, advanceSeconds, presentNew, flood } = await start();
    expect(await presentNew()).toBe(200);
    expect(await flood()).toEqual([401]);
    await issuer.goDown();
    advanceSeconds(31);
    expect(await flood()).toEqual([503]);
  });

  it('the pauses between attempts double from 30 seconds to 5 minutes', async () => {
    const { issuer, server, advanceSeconds, presentNew } = await start();
    expect(await presentNew()).toBe(200);
    issuer.answerJwks('fail');
    const attemptedAt: number[] = [];
    for (let seconds = 0; seconds <= 1_500; seconds += 10) {
      const before = server.fetchCount();
      expect(await presentNew()).toBe(200);
      await server.settled();
      if (server.fetchCount() > before) attemptedAt.push(seconds);
      advanceSeconds(10);
    }
    expect(attemptedAt).toEqual([120, 150, 210, 330, 570, 870, 1_170, 1_470]);
  });

  it('tokens of known keys are not delayed when it hangs', async () => {
    const { issuer, server, advanceSeconds, presentNew } = await start({ timeoutMilliseconds: 20_000 });
    const token = issuer.token();
    expect(await server.present(token)).toMatchObject({ status: 200 });
    issuer.answerJwks('hang');
    advanceSeconds(125);
    const startedAt = performance.now();
    for (let i = 0; i < 20; i += 1) {
      expect(await server.present(token)).toMatchObject({ status: 200 });
      expect(await presentNew()).toBe(200);
    }
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(server.fetchCount()).toBe(2);
  });
});

describe('the log', () => {
  it('contains each failed attempt and each change of the set, and no token', async () => {
    const lines: string[] = [];
    const write = (details: object, message: string) =>
      void lines.push(`${message} ${JSON.stringify(details)}`);
    const { issuer, server, advanceSeconds, presentNew } = await start({ log: { info: write, warn: write } });
    issuer.answerJwks('fail');
    expect(await presentNew()).toBe(503);
    issuer.answerJwks('serve');
    advanceSeconds(30);
    expect(await presentNew()).toBe(200);
    await server.settled();
    advanceSeconds(125);
    expect(await presentNew()).toBe(200);
    await server.settled();
    expect(server.fetchCount()).toBe(3);
    expect(lines).toEqual([
      expect.stringContaining('the key set could not be refreshed'),
      `the key set has changed {"kids":["${issuer.currentKey.kid}"]}`,
    ]);
  });
});

const failWithKeySet = (jwk: object) => (response: ServerResponse) =>
  void response.writeHead(500).end(JSON.stringify({ keys: [jwk] }));

function hugeKeySet(jwk: object): string {
  return JSON.stringify({ keys: [jwk], padding: 'x'.repeat(300_000) });
}

/** Serves the keys only to clients that follow the redirect. */
function redirect(response: ServerResponse, serve: () => void): void {
  if (response.req.url?.endsWith('?again')) serve();
  else response.writeHead(302, { Location: '/jwks?again' }).end();
}
