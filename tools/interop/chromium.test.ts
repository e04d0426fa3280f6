import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { describeWith, findFreePort, useStarted } from '@keydesk/testing';
import { chromium } from 'playwright-core';
import { it, onTestFinished } from 'vitest';
import { expectCompleteJourney } from './client-report.fixture.ts';
import { startKeydesk } from './keydesk.fixture.ts';

const STEP_LIMIT_MS = 60_000;
const isRoot = process.getuid?.() === 0;
const page = `<!doctype html><html lang="en"><title>Printshop</title>
<script type="importmap">
  { "imports": { "oidc-client-ts": "/oidc-client-ts.js", "jwt-decode": "/jwt-decode.js" } }
</script>
<script type="module" src="/app.js"></script>`;
const packageFile = (name: string) => readFileSync(fileURLToPath(import.meta.resolve(name)));

/** Serves the page, its script, the library and the settings of the script. */
async function serve(port: number, settings: object): Promise<void> {
  const files: Record<string, [type: string, content: string | Buffer]> = {
    '/': ['text/html', page],
    '/app.js': ['text/javascript', readFileSync(new URL('javascript/oidc-client-ts.js', import.meta.url))],
    '/oidc-client-ts.js': ['text/javascript', packageFile('oidc-client-ts')],
    '/jwt-decode.js': ['text/javascript', packageFile('jwt-decode')],
    '/settings.json': ['application/json', JSON.stringify(settings)],
  };
  const server = createServer((request, response) => {
    const [type, content] = files[new URL(request.url ?? '/', 'http://localhost').pathname] ?? [];
    if (type === undefined) return response.writeHead(404).end();
    return response.writeHead(200, { 'Content-Type': type }).end(content);
  }).listen(port, '127.0.0.1');
  onTestFinished(() => void server.close().closeAllConnections());
  await once(server, 'listening');
}

describeWith('chromium', 'a single-page application in Chromium', (executablePath) => {
  const keydesk = useStarted(startKeydesk);

  it('signs users in and works with tickets with oidc-client-ts', async () => {
    const port = await findFreePort();
    const redirectUri = `http://127.0.0.1:${port}/`;
    const { CLIENT_ID } = await keydesk.register('oidc-client-ts', 'spa', '--redirect-uri', redirectUri);
    await serve(port, { issuer: keydesk.issuer, api: keydesk.api, clientId: CLIENT_ID, redirectUri });

    const browser = await chromium.launch({ executablePath, args: isRoot ? ['--no-sandbox'] : [] });
    onTestFinished(() => browser.close());
    const window = await browser.newPage({ ignoreHTTPSErrors: true });
    window.setDefaultTimeout(STEP_LIMIT_MS);
    const fault = new Promise<never>((_, reject) => void window.once('pageerror', reject));
    fault.catch(() => undefined);
    await window.goto(redirectUri);
    await window.fill('#email', keydesk.account.email);
    await window.fill('#password', keydesk.account.password);
    await window.click('#submit');
    await window.click('#allow');
    const report = await Promise.race([window.locator('#report').textContent(), fault]);
    expectCompleteJourney(JSON.parse(report ?? ''), keydesk);
  });
});
