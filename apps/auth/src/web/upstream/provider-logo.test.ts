import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { loadAuthConfig } from '../../config.ts';
import { openStorage } from '../../storage/open-storage.ts';
import { createSqliteDatabase } from '../../storage/test-database.fixture.ts';
import { masterSecret, startTestServer } from '../../tests/test-server.fixture.ts';

const logo = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><circle cx="4" cy="4" r="4"/></svg>';

async function writeProviders(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'keydesk-logo-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'acme.svg'), logo);
  const acme = { id: 'acme', name: 'Acme', issuer: 'https://login.acme.example', client_id: 'keydesk' };
  const provider = { ...acme, client_secret_env: 'ACME_SECRET', logo_file: join(folder, 'acme.svg') };
  const file = join(folder, 'providers.json');
  await writeFile(file, JSON.stringify({ providers: [provider] }));
  return file;
}

async function start(config: Parameters<typeof startTestServer>[1]) {
  const database = await createSqliteDatabase();
  const storage = await openStorage(database.location);
  const server = await startTestServer(storage, config);
  onTestFinished(async () => {
    await server.stop();
    await storage.close();
    await database.drop();
  });
  return server;
}

it('shows the logo of a provider on its button, from this server', async () => {
  const { identityProviderFile, identityProviders } = loadAuthConfig({
    MASTER_SECRET: masterSecret,
    IDENTITY_PROVIDERS_FILE: await writeProviders(),
    ACME_SECRET: 'hidden',
  });
  const server = await start({ config: { identityProviderFile, identityProviders } });
  const page = await (await fetch(`${server.url}/sign-in`)).text();
  const [, path] = /<img[^>]* src="(\/[^"]+)"[^>]*>\s*(?:<span>)?Continue with Acme/.exec(page) ?? [];
  expect(path, page).toBeDefined();
  const response = await fetch(`${server.url}${path}`);
  expect(response.headers.get('content-type')).toBe('image/svg+xml');
  expect(await response.text()).toBe(logo);
});
