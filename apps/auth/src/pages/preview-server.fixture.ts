import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrandSettings } from './brand.ts';
import { isLanguage } from './language.ts';
import { createPages } from './pages.ts';
import { sampleLogo } from './samples/logo.fixture.ts';
import { samples } from './samples.fixture.ts';

/** Strictest policy under which the pages must work. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

export interface PreviewServer {
  /** URL of the list of samples; append, for example, `en/sign-in`. */
  readonly url: string;
  close(): Promise<void>;
}

/** Serves every sample on 127.0.0.1; port 0 chooses a free one. */
export async function startPreview(brand: BrandSettings, port = 0): Promise<PreviewServer> {
  const pages = createPages({ brand, logos: [sampleLogo] });

  function renderSample(path: string): string | undefined {
    const [, language = '', name] = path.split('/');
    const sample = samples.find((candidate) => candidate.name === name);
    if (sample === undefined || !isLanguage(language)) return undefined;
    return sample.render(pages, sample.view, {
      language,
      languageLinks: { en: `/en/${name}`, de: `/de/${name}` },
    });
  }

  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    const asset = pages.assets.find((candidate) => candidate.path === path);
    const content = asset?.content ?? (path === '/' ? listOfSamples() : renderSample(path));
    response.writeHead(content === undefined ? 404 : 200, {
      'Content-Type': asset?.contentType ?? 'text/html; charset=utf-8',
      'Content-Security-Policy': POLICY,
    });
    response.end(content);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function listOfSamples(): string {
  const links = samples.map(
    ({ name }) => `<li><a href="/en/${name}">${name}</a> <a href="/de/${name}">de</a></li>`,
  );
  return `<!doctype html><html lang="en"><title>Pages</title><h1>Pages</h1><ul>${links.join('')}</ul></html>`;
}
