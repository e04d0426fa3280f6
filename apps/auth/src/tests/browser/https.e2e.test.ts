import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createCertificate, describeWith, findFreePort } from '@keydesk/testing';
import { chromium } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { newFolder, runCli, startServer } from '../processes.fixture.ts';
import { masterSecret, password } from '../test-server.fixture.ts';
import { chromiumArguments, signIn } from './world.fixture.ts';

/** Timeout of a step, which only a failing test reaches. */
const STEP_LIMIT_MS = 90_000;
const REDIRECT_URI = 'https://app.example/callback';
const email = 'ada@example.org';

/** Starts a server with its own certificate, one account and one application. */
async function startOverHttps() {
  const [folder, port] = [newFolder(), await findFreePort()];
  const files = { TLS_CERT_FILE: join(folder, 'cert.pem'), TLS_KEY_FILE: join(folder, 'key.pem') };
  const { cert, key } = createCertificate();
  await writeFile(files.TLS_CERT_FILE, cert);
  await writeFile(files.TLS_KEY_FILE, key);
  const url = `https://127.0.0.1:${port}`;
  const env = {
    ...files,
    AUTH_PORT: String(port),
    ISSUER: url,
    MASTER_SECRET: masterSecret,
    STORAGE_URL: `sqlite:${join(folder, 'auth.db')}`,
    MAIL_FOLDER: join(folder, 'mail'),
  };
  const server = startServer(env);
  await expect.poll(() => server.output().stdout, { timeout: STEP_LIMIT_MS }).toContain('listening');
  await runCli(['account', 'add', '--email', email, '--password-stdin'], env, password);
  const registration = ['--type', 'web', '--name', 'Printshop', '--redirect-uri', REDIRECT_URI, '--json'];
  const { stdout } = await runCli(['client', 'add', ...registration, '--scope', 'tickets:read'], env);
  return { url, clientId: String(JSON.parse(stdout).client_id) };
}

describeWith('chromium', 'a server with https, in Chromium', (executablePath) => {
  it('uses session cookies that no other host can set (RFC 6265bis §4.1.3)', async () => {
    const { url, clientId } = await startOverHttps();
    const browser = await chromium.launch({ executablePath, args: chromiumArguments });
    onTestFinished(() => browser.close());
    const context = await browser.newContext({ ignoreHTTPSErrors: true, locale: 'en-GB' });
    context.setDefaultTimeout(STEP_LIMIT_MS);
    const page = await context.newPage();
    const parameters = {
      client_id: clientId,
      response_type: 'code',
      redirect_uri: REDIRECT_URI,
      scope: 'openid tickets:read',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    };
    await page.goto(`${url}/auth?${new URLSearchParams(parameters)}`);
    await signIn(page, { email });
    await page.locator('#consent').waitFor();
    const cookies = await context.cookies();
    const back = page.waitForRequest((request) => request.url().startsWith(REDIRECT_URI));
    await page.click('#allow');
    expect(new URL((await back).url()).searchParams.get('code')).toBeTruthy();

    const own = await context.newPage();
    await own.goto(`${url}/account`);
    await own.getByRole('heading', { name: 'My account' }).waitFor();
    const names = cookies.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['__Host-session', '__Secure-interaction']));
    for (const { name, path, secure, httpOnly, sameSite } of cookies) {
      // OWASP ASVS 5.0 §3.3
      expect({ secure, httpOnly, sameSite }, name).toEqual({ secure: true, httpOnly: true, sameSite: 'Lax' });
      expect(name).toMatch(path === '/' ? /^__Host-/ : /^__Secure-/);
    }
  });
});
