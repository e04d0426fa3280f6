import { describe, expect, it } from 'vitest';
import { MAX_LOGO_BYTES } from '../../clients/logo/client-logo.ts';
import { jpeg, png, pngChunk, webp, webpChunks } from '../../clients/logo/image.fixture.ts';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import type { Browser, Page } from '../../tests/browser.fixture.ts';
import { csrfIn, LIST, register, signIn, usePortal } from './portal.fixture.ts';

const logoIn = ({ html }: Page) => /<img class="tile is-logo" src="([^"]*)"/.exec(html)?.[1];
const problemIn = ({ html }: Page) => /id="problems".*?<\/div><\/div>/s.exec(html)?.[0] ?? '';

type Part = readonly [name: string, value: string | Blob, fileName?: string];

function formOf(parts: readonly Part[]): FormData {
  const form = new FormData();
  for (const [name, value, fileName] of parts)
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, value, fileName ?? 'logo.png');
  return form;
}

/** Creates a file with a misleading name and type. */
const fileOf = (bytes: Buffer) =>
  new File([new Uint8Array(bytes)], 'Unser Logo «1».txt', { type: 'text/plain' });

async function upload(browser: Browser, path: string, bytes: Buffer): Promise<Page> {
  const csrf = csrfIn(await browser.open(path));
  const body = formOf([
    ['csrf', csrf],
    ['logo', fileOf(bytes)],
  ]);
  return browser.send(`${path}/logo`, { method: 'POST', body });
}

onEveryEngine((engine) => {
  const portal = usePortal(engine);

  describe('the logo of an application', () => {
    it.each([
      ['image/png', png()],
      ['image/jpeg', jpeg()],
      ['image/webp', webp(webpChunks.lossy)],
    ])('is uploaded, and served with the type of its content: %s', async (type, bytes) => {
      const { server, browser, recordedTypes } = portal();
      const { id, path } = await register(browser);
      const form = await browser.open(path);
      expect(form.html).toMatch(/<form id="upload-logo"[^>]* enctype="multipart\/form-data"/);
      expect(logoIn(form)).toBeUndefined();
      const saved = await upload(browser, path, bytes);
      expect([saved.redirects, saved.url.pathname]).toEqual([[303], path]);
      expect(saved.html).toContain('id="notice"');
      const src = logoIn(saved) ?? '';
      expect(src).toBe(`/application-logos/${id}/${(await server.clients.get(id)).logoDigest}`);
      expect(logoIn(await browser.open(LIST))).toBe(src);
      const served = await fetch(server.url + src);
      expect(served.headers.get('content-type')).toBe(type);
      expect(Buffer.from(await served.arrayBuffer())).toEqual(bytes);
      expect(await recordedTypes(id)).toContain('client.logo_set');
    });

    it('is replaced and removed', async () => {
      const { server, browser, recordedTypes } = portal();
      const { id, path } = await register(browser);
      const first = logoIn(await upload(browser, path, png())) ?? '';
      const second = await upload(browser, path, jpeg());
      expect(logoIn(second)).not.toBe(first);
      expect((await fetch(server.url + first)).status).toBe(404);
      const removed = await browser.submit(second, 'remove-logo');
      expect(removed.html).toContain('id="notice"');
      expect(logoIn(removed)).toBeUndefined();
      expect(removed.html).not.toContain('id="remove-logo"');
      expect((await server.clients.get(id)).logoDigest).toBeNull();
      expect(await recordedTypes(id)).toContain('client.logo_removed');
    });

    it('ends the verification if it changes, which the page announces and confirms', async () => {
      const { server, browser, recordedTypes } = portal();
      const { id, path } = await register(browser);
      await server.clients.setVerified(id, true);
      expect((await browser.open(path)).html).toContain('With another logo');
      const saved = await upload(browser, path, png());
      expect(saved.html).toContain('has to verify the application again');
      expect(saved.html).not.toContain('With another logo');
      expect((await server.clients.get(id)).isVerified).toBe(false);
      await server.clients.requestTrust(id, { kind: 'verification', role: null, reason: 'Once more.' });
      await upload(browser, path, jpeg());
      expect(await recordedTypes(id)).toContain('client.trust_withdrawn');
    });
  });

  describe('an invalid logo file', () => {
    it.each([
      ['empty', 400, 'Choose a file', Buffer.alloc(0)],
      ['an SVG', 400, 'SVG can contain programs', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
      ['an HTML page', 400, 'not a PNG, JPEG or WebP', Buffer.from('<script>alert(1)</script>')],
      ['truncated', 400, 'damaged', png().subarray(0, -20)],
      ['animated', 400, 'animated', png({ chunks: [pngChunk('acTL', Buffer.alloc(8))] })],
      ['too small', 400, '16 to 2048 pixels', png({ width: 15, height: 40 })],
      ['of 201 KB', 413, 'at most 200 KB', Buffer.alloc(MAX_LOGO_BYTES + 1_000)],
      ['of 5 MB', 413, 'at most 200 KB', Buffer.alloc(5_000_000)],
    ])('is rejected on the page, and the current logo stays: %s', async (_, status, text, bytes) => {
      const { server, browser } = portal();
      const { id, path } = await register(browser);
      const before = await server.clients.setLogo(id, png());
      const page = await upload(browser, path, bytes);
      expect(page.status).toBe(status);
      expect(problemIn(page)).toContain(text);
      expect(page.html).toContain('id="logo-problem"');
      expect(page.html).toMatch(/<input[^>]* id="logo"[^>]* aria-invalid="true"/);
      expect(logoIn(page)).toContain(before.logoDigest);
      expect(await server.clients.get(id)).toEqual(before);
      expect((await browser.open(path)).status).toBe(200);
    });
  });

  describe('an upload (RFC 7578)', () => {
    const boundary = 'a-boundary';
    const type = `multipart/form-data; boundary=${boundary}`;
    const whole = (csrf: string) =>
      Buffer.concat([
        Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="csrf"\r\n\r\n${csrf}\r\n`),
        Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="logo"; filename="a"\r\n\r\n`),
        png(),
        Buffer.from(`\r\n--${boundary}--\r\n`),
      ]);
    const raw =
      (toBody: (csrf: string) => Buffer, headers: Readonly<Record<string, string>> = {}) =>
      (csrf: string): RequestInit => ({
        body: new Uint8Array(toBody(csrf)),
        headers: { 'Content-Type': type, ...headers },
      });
    const parts =
      (...more: readonly Part[]) =>
      (csrf: string): RequestInit => ({
        body: formOf([['csrf', csrf], ...more]),
      });

    it('is accepted in the format that the page sends', async () => {
      const { server, browser } = portal();
      const { id, path } = await register(browser);
      const csrf = csrfIn(await browser.open(path));
      await browser.send(`${path}/logo`, { method: 'POST', ...raw(whole)(csrf) });
      expect((await server.clients.get(id)).logoDigest).not.toBeNull();
    });

    it.each([
      ['no file', parts()],
      ['two files', parts(['logo', fileOf(png())], ['logo', fileOf(jpeg())])],
      ['a file in another field', parts(['picture', fileOf(png())])],
      ['text in place of a file', parts(['logo', 'iVBORw0KGgo='])],
      ['an unknown field', parts(['logo', fileOf(png())], ['is_verified', 'true'])],
      ['a repeated field', parts(['csrf', 'x'], ['logo', fileOf(png())])],
      ['1,000 fields', parts(...Array.from({ length: 1_000 }, (_, i): Part => [`f${i}`, '']))],
      [
        'a boundary that the body does not contain',
        raw(whole, { 'Content-Type': 'multipart/form-data; boundary=other' }),
      ],
      ['no boundary', raw(whole, { 'Content-Type': 'multipart/form-data' })],
      ['another type', raw(whole, { 'Content-Type': 'application/x-www-form-urlencoded' })],
      ['another multipart subtype', raw(whole, { 'Content-Type': `multipart/mixed; boundary=${boundary}` })],
      ['an encoding', raw(whole, { 'Content-Encoding': 'gzip' })],
      ['a truncated end', raw((csrf) => whole(csrf).subarray(0, -8))],
      ['a truncated file', raw((csrf) => whole(csrf).subarray(0, -60))],
      ['a truncated header', raw((csrf) => whole(csrf).subarray(0, 40))],
      ['an empty body', raw(() => Buffer.alloc(0))],
      ['any bytes', raw(() => Buffer.from(`--${boundary}\r\n\0\xff: \r\n\r\n\r\n--${boundary}--`, 'latin1'))],
    ])('is rejected on the page and changes nothing: %s', async (_, toRequest) => {
      const { server, browser } = portal();
      const { id, path } = await register(browser);
      const csrf = csrfIn(await browser.open(path));
      const before = await server.clients.get(id);
      const page = await browser.send(`${path}/logo`, { method: 'POST', ...toRequest(csrf) });
      expect(page.status).toBe(400);
      expect(problemIn(page)).toContain('did not arrive as this page sends it');
      expect(await server.clients.get(id)).toEqual(before);
    });

    it('never causes a server error, whichever of its bytes change', async () => {
      const { browser } = portal();
      const { path } = await register(browser);
      const body = whole(csrfIn(await browser.open(path)));
      for (let i = 0; i < 200; i++) {
        const at = Math.floor((i * body.length) / 200);
        const mutated = Buffer.concat([
          body.subarray(0, at),
          Buffer.from([(i * 37) % 256]),
          body.subarray(at + (i % 3)),
        ]);
        const page = await browser.send(`${path}/logo`, { method: 'POST', ...raw(() => mutated)('') });
        expect([200, 400, 403]).toContain(page.status);
      }
    });

    it('is rejected from another site (CSRF)', async () => {
      const { server, browser } = portal();
      const { id, path } = await register(browser);
      const other = await signIn(server, await server.addAccount());
      const foreign = csrfIn(await other.open(`${LIST}/new`));
      for (const csrf of ['', 'x', foreign]) {
        const page = await browser.send(`${path}/logo`, { method: 'POST', ...raw(whole)(csrf) });
        expect(page).toMatchObject({ status: 403, html: expect.stringContaining('error-form-expired') });
      }
      expect((await server.clients.get(id)).logoDigest).toBeNull();
    });

    it('is rejected for an application of another user, and without a session', async () => {
      const { server, browser } = portal();
      const { id, path } = await register(browser);
      const other = await signIn(server, await server.addAccount());
      const csrf = csrfIn(await other.open(`${LIST}/new`));
      for (const toRequest of [raw(whole), parts()]) {
        const page = await other.send(`${path}/logo`, { method: 'POST', ...toRequest(csrf) });
        expect(page.status).toBe(404);
      }
      const response = await fetch(`${server.url}${path}/logo`, {
        method: 'POST',
        redirect: 'manual',
        ...raw(whole)(''),
      });
      expect(response.headers.get('location')).toContain('/sign-in');
      expect((await server.clients.get(id)).logoDigest).toBeNull();
    });
  });
});
