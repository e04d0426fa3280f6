import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@keydesk/config';
import { useStarted } from '@keydesk/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../storage/engines.fixture.ts';
import { startTestServer } from '../tests/test-server.fixture.ts';
import { brandSettings } from './brand-settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'keydesk-brand-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const load = (env: Record<string, string>) => loadConfig(brandSettings, env);
const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>';
const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() => {
    const config = load({
      SERVICE_NAME: 'Acme Help',
      BRAND_COLOR: '#0b7a4b',
      BRAND_LOGO_FILE: fileOf('logo.svg', svg),
      BRAND_LOGO_DARK_FILE: fileOf('dark.png', png),
      BRAND_PRIVACY_URL: 'https://acme.example/privacy',
    });
    return startTestServer(storage.get(), { config });
  });

  describe("the operator's brand", () => {
    it('is on every page: name, color, logos and links', async () => {
      const headers = { accept: 'text/html' };
      const html = await (await fetch(`${server.url}/auth?client_id=nobody`, { headers })).text();
      expect(html).toContain('alt="Acme Help"');
      expect(html).toContain('href="https://acme.example/privacy"');
      const paths = [...html.matchAll(/"(\/assets\/[\w-]+\.(css|svg|png))"/g)].map(([, path]) => path);
      const files = await Promise.all(paths.map(async (path) => fetch(server.url + path)));
      const contents = await Promise.all(files.map((file) => file.text()));
      expect(contents.some((content) => content.includes('--accent: #0b7a4b'))).toBe(true);
      expect(contents).toContain(svg);
      expect(files.map(({ headers }) => headers.get('content-type'))).toContain('image/png');
      for (const { headers } of files) expect(headers.get('content-security-policy')).toContain("'none'");
    });
  });
});

describe('an invalid brand setting', () => {
  it.each([
    ['BRAND_COLOR', 'green', 'must be a color such as #3350c8'],
    ['BRAND_COLOR', '#fefefe', 'has a contrast of 1.1 with the pages (#f4f5f7); use a color with at least 3'],
    [
      'BRAND_COLOR_DARK',
      '#000000',
      'has a contrast of 1.3 with the pages (#1b1f27); use a color with at least 3',
    ],
    ['BRAND_TERMS_URL', 'javascript:alert(1)', 'must be an https, http or mailto URL'],
    ['BRAND_LOGO_FILE', '/nowhere/logo.svg', 'the file cannot be read (ENOENT)'],
  ])('%s=%s', (name, value, reason) => {
    expect(() => load({ [name]: value })).toThrow(`${name}: ${reason}`);
  });

  it.each([
    ['of another kind', 'GIF89a', 'must be an SVG, PNG or WebP file'],
    ['with a script', svg.replace('<path', '<script>alert(1)</script><path'), 'without scripts'],
    ['with a handler', svg.replace('<path', '<path onload="alert(1)"'), 'without scripts'],
    [
      'that fetches',
      svg.replace('<path', '<image href="https://elsewhere.example/x"/><path'),
      'external resources',
    ],
    ['that is too large', svg + ' '.repeat(200_000), 'is larger than 200 KB'],
  ])('a logo %s', (_, content, reason) => {
    expect(() => load({ BRAND_LOGO_FILE: fileOf('refused.svg', content) })).toThrow(reason);
  });
});
