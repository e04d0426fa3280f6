import { readFileSync } from 'node:fs';
import type { Config } from '../../config.ts';
import { renderBar } from './guide-page.ts';
import { toAddress } from './guides.ts';
import { html } from './html.ts';

const entry = new URL(import.meta.resolve('@scalar/fastify-api-reference'));
const { version } = JSON.parse(readFileSync(new URL('../package.json', entry), 'utf8'));

/** File name of the reader's script; it changes with every version of the package. */
export const readerScriptName = `scalar-${version}.js`;

interface PluginRoute {
  url: string;
  handler(request: undefined, reply: { header(): unknown; send(content: string): void }): unknown;
}

/**
 * Loads the script of the reader from its package. The Fastify plugin of Scalar bundles the script without the 290
 * packages that it is built from; this function calls the plugin's route for the script.
 *
 * @throws {Error} when the plugin has no such route
 */
export async function loadReaderScript(): Promise<string> {
  const { default: plugin } = await import('@scalar/fastify-api-reference');
  let script: string | undefined;
  const server = {
    initialConfig: {},
    route({ url, handler }: PluginRoute) {
      if (!url.endsWith('/js/scalar.js')) return;
      const reply = {
        header: () => reply,
        send(content: string) {
          script = content;
        },
      };
      handler(undefined, reply);
    },
  };
  plugin(server, { configuration: { url: '/' } }, () => undefined);
  if (script === undefined) throw new Error('@scalar/fastify-api-reference has no route for its script.');
  return script;
}

export type ReaderOptions = Pick<Config, 'baseUrl' | 'issuer' | 'docsClientId'>;

const SLUG = 'reference';

/** Renders the page of the reader, on which operations can be searched, read and tried. */
export function renderReaderPage({ baseUrl, docsClientId }: ReaderOptions): string {
  const to = (slug: string) => toAddress(slug, SLUG);
  const settings = {
    clientId: docsClientId,
    redirectUri: `${baseUrl}/docs/signed-in`,
  };
  const page = html`<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <title>Reference – Keydesk API</title>
  <link rel="icon" href="${to('icon.svg')}" type="image/svg+xml">
  <link rel="stylesheet" href="${to('bar.css')}">
  <script src="${to(readerScriptName)}" defer></script>
  <script src="${to('reader.js')}" type="module"></script>
</head>
<body class="reader">
  ${renderBar(to)}
  <div id="reader" data-settings="${JSON.stringify(settings)}"></div>
  <noscript><p>The reference requires JavaScript; the <a href="${to('')}">guides</a> and
    <a href="../openapi.json">openapi.json</a> do not.</p></noscript>
</body>
</html>
`;
  return page.html;
}

/** Renders the redirect page of the sign-in; the reader opens it in a window, reads the response and closes it. */
export function renderSignedInPage(): string {
  return html`<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Sign-in – Keydesk API</title>
  <link rel="icon" href="icon.svg" type="image/svg+xml">
  <link rel="stylesheet" href="bar.css">
  <link rel="stylesheet" href="guide.css">
</head>
<body>
  <main><h1>Sign-in</h1><p>Close this window to return to the reference.</p></main>
</body>
</html>
`.html;
}
