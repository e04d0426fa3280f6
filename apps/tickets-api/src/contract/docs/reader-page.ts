import type { Config } from '../../config.ts';
import { renderBar } from './guide-page.ts';
import { toAddress } from './guides.ts';
import { html } from './html.ts';
import { readerScriptName } from './reader-script.ts';

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
