import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { useStarted } from '@keydesk/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import { createBrowser, type Page } from '../../tests/browser.fixture.ts';
import { password, startTestServer } from '../../tests/test-server.fixture.ts';

const FORM = 'application/x-www-form-urlencoded';

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() => startTestServer(storage.get()));
  let email: string;
  beforeAll(async () => {
    ({ email } = await server.addAccount());
  });

  async function openSignIn(): Promise<{ cookie: string; csrf: string }> {
    const response = await fetch(`${server.url}/sign-in`, { headers: { Accept: 'text/html' } });
    const cookie = response.headers.getSetCookie().map((line) => line.split(';')[0]);
    const [, csrf = ''] = /name="csrf" value="([^"]*)"/.exec(await response.text()) ?? [];
    return { cookie: cookie.join('; '), csrf };
  }

  /** Posts any body with the cookies and the CSRF token of an opened page. */
  async function post(toBody: (fields: URLSearchParams) => string | Buffer, headers = {}) {
    const { cookie, csrf } = await openSignIn();
    const response = await fetch(`${server.url}/sign-in`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'Content-Type': FORM, Accept: 'text/html', Cookie: cookie, ...headers },
      body: toBody(new URLSearchParams({ csrf, email, password })),
    });
    return { status: response.status, html: await response.text() };
  }

  const isErrorPage = (html: string) => /<h1/.test(html) && /id="request-id"|<code/.test(html);

  describe('a form of a page (URL Standard §5)', () => {
    it('is read in the format of browsers', async () => {
      expect((await post((fields) => fields.toString())).status).toBe(303);
      const spaced = await post((fields) => `${fields}&next=a+b%20c%2Bd&empty=&`);
      expect(spaced.status).toBe(303);
      expect((await post((fields) => `${fields}`, { 'Content-Type': `${FORM}; charset=UTF-8` })).status).toBe(
        303,
      );
    });

    it('keeps every character of a text', async () => {
      const browser = createBrowser(server.url);
      const typed = 'a+b&c=d%41[0].é€😀 "<x>\'@example.org';
      const page: Page = await browser.submit(await browser.open('/sign-in'), 'sign-in', { email: typed });
      const shown = /name="email"[^>]* value="([^"]*)"/.exec(page.html)?.[1];
      expect(shown).toBe('a+b&amp;c=d%41[0].é€😀 &quot;&lt;x&gt;&#39;@example.org');
    });

    it.each([
      ['a nested name', 'csrf[a]=b&email[$ne]=&a.b.c=d'],
      ['deep brackets', `a${'[b]'.repeat(1_000)}=c`],
      [
        'a name of Object.prototype',
        '__proto__=x&__proto__[isAdmin]=1&constructor[prototype][x]=1&toString=x',
      ],
    ])('treats %s as the name of an unknown field', async (_case, more) => {
      expect((await post((fields) => `${fields}&${more}`)).status).toBe(303);
      expect(Object.keys(Object.prototype)).toEqual([]);
      expect('isAdmin' in {}).toBe(false);
    });
  });

  describe('a form that no page sends', () => {
    it.each([
      ['repeats a field', (fields: URLSearchParams) => `${fields}&email=other%40example.org`],
      [
        'repeats a field under the name that qs gives to its brackets',
        (fields: URLSearchParams) => `${fields}&[email]=other%40example.org`,
      ],
      ['repeats the token', (fields: URLSearchParams) => `csrf=x&${fields}`],
      ['has more fields than any page', (fields: URLSearchParams) => `${fields}${'&a'.repeat(200)}`],
      [
        'has too many different fields',
        (fields: URLSearchParams) => `${fields}&${Array.from({ length: 200 }, (_, i) => `a${i}=`).join('&')}`,
      ],
    ])('is rejected with 400 if it %s', async (_case, toBody) => {
      const { status, html } = await post(toBody);
      expect([status, isErrorPage(html)]).toEqual([400, true]);
      expect(server.logged()).not.toContain(encodeURIComponent(password));
    });

    it.each(['application/json', 'text/plain', 'multipart/form-data; boundary=x', 'application/xml', ''])(
      'is rejected with 415 as %j (RFC 9110 §15.5.16)',
      async (type) => {
        const { status, html } = await post((fields) => Buffer.from(`${fields}`), { 'Content-Type': type });
        expect([status, isErrorPage(html)]).toEqual([415, true]);
      },
    );

    it('is rejected with 415 if it is compressed (RFC 9110 §8.4)', async () => {
      const bomb = gzipSync('a'.repeat(10_000_000));
      for (const encoding of ['gzip', 'deflate', 'br', 'x'])
        expect((await post(() => bomb, { 'Content-Encoding': encoding })).status).toBe(415);
      expect((await post((fields) => `${fields}`, { 'Content-Encoding': 'identity' })).status).toBe(303);
    });

    it('is rejected with 413 beyond 16 KB, with or without Content-Length', async () => {
      const { status, html } = await post((fields) => `${fields}&a=${'x'.repeat(16_384)}`);
      expect([status, html.includes('id="error-too-large"')]).toEqual([413, true]);
      expect((await post((fields) => `a=${'x'.repeat(16_382 - `${fields}&`.length)}&${fields}`)).status).toBe(
        303,
      );
      const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
      const head = `POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${FORM}\r\nConnection: close\r\n`;
      const answer = await send(`${head}Transfer-Encoding: chunked\r\n\r\n${chunk}${chunk}0\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    });
  });

  async function send(request: string): Promise<string> {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write(request);
    return text(socket);
  }
});
