import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startTestApp, type TestApp } from '../test-app.fixture.ts';

/** Sends a raw request and returns the response until the server closes the connection. */
async function answerTo(
  { url }: TestApp,
  target: string,
  headers = 'Host: example.com\r\n',
  version = ' HTTP/1.1',
): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  socket.end(`GET ${target}${version}\r\n${headers}Connection: close\r\n\r\n`);
  return text(socket);
}

const startEcho = () =>
  startTestApp((ctx) => {
    ctx.body = `${ctx.path} ${ctx.querystring} ${ctx.originalUrl}`;
  });

describe('the target of a request (RFC 9112 §3.2)', () => {
  it.each([
    'http://[::1/healthz',
    'http://[]/healthz',
    'http://a^b/',
    'ftp://example.com/',
    '//a@[::1/#',
    'http://example.com//a@[::1/#',
    '/healthz#part',
  ])('is refused when it is not an http(s) URL, and the server keeps running: %s', async (target) => {
    const app = await startEcho();
    expect(await answerTo(app, target)).toMatch(/^HTTP\/1\.1 400 /);
    expect((await fetch(app.url)).status).toBe(200);
  });

  it.each([
    ['/tickets?a=b', '/tickets a=b /tickets?a=b'],
    ['http://other.example/tickets?a=b', '/tickets a=b /tickets?a=b'],
    ['HTTPS://user:password@other.example:99/tickets', '/tickets  /tickets'],
    ['http://other.example?a=b', '/ a=b /?a=b'],
    ['http://other.example', '/  /'],
    ['http://xn--/tickets', '/tickets  /tickets'],
    ['//other.example/tickets', '//other.example/tickets  //other.example/tickets'],
    ['//a@[::1/', '//a@[::1/  //a@[::1/'],
  ])('reaches the app in origin form: %s', async (target, seen) => {
    const answer = await answerTo(await startEcho(), target);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer.split('\r\n\r\n')[1]).toBe(seen);
  });
});

describe('the Host of a request (RFC 9112 §3.2)', () => {
  it.each([
    ['missing', ''],
    ['repeated', 'Host: example.com\r\nhost: example.com\r\n'],
  ])('is refused when it is %s', async (_, headers) => {
    expect(await answerTo(await startEcho(), '/', headers)).toMatch(/^HTTP\/1\.1 400 /);
  });
});

describe('the version of a request (RFC 9112 §2.3, RFC 9110 §15.6.6)', () => {
  it.each(['', ' HTTP/0.9', ' HTTP/2.0'])(
    'is refused when its major one is not 1: "GET /%s"',
    async (version) => {
      expect(await answerTo(await startEcho(), '/', undefined, version)).toMatch(/^HTTP\/1\.1 505 /);
    },
  );

  it('may be 1.0', async () => {
    expect(await answerTo(await startEcho(), '/', undefined, ' HTTP/1.0')).toMatch(/^HTTP\/1\.1 200 /);
  });
});
