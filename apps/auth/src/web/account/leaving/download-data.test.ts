import { strFromU8, unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { exampleRecord } from '../../../audit/audit-record.fixture.ts';
import { type Engine, onEveryEngine, onSqlite, useStorage } from '../../../storage/engines.fixture.ts';
import { type Browser, createBrowser } from '../../../tests/browser.fixture.ts';
import { obtainTokens, startJourney } from '../../../tests/people.fixture.ts';
import { password } from '../../../tests/test-server.fixture.ts';
import { csrfIn } from '../../developer/portal.fixture.ts';
import { useMailboxServer } from '../use-mailbox-server.fixture.ts';

const files = ['account.json', 'sessions.json', 'applications.json', 'consents.json', 'audit.json'] as const;
const BATCH = 500;
const MORE_THAN_TWO_PAGES = 2 * BATCH + 100;
type Data = Record<(typeof files)[number], unknown>;

/** Downloads of the users of a server on this engine. */
function useDownloads(engine: Engine) {
  const storage = useStorage(engine);
  const { server } = useMailboxServer(storage);

  /** Downloads the data of the user of a browser. */
  async function download(
    browser: Browser,
    url: string,
  ): Promise<{ data: Data; headers: Headers; text: string }> {
    const page = await browser.open('/account/data');
    const csrf = csrfIn(page);
    const cookie = (await browser.cookies())
      .map((name, i) => `${name}=${browser.cookieValues()[i]}`)
      .join('; ');
    const response = await fetch(`${url}/account/data`, {
      method: 'POST',
      headers: { Cookie: cookie, Origin: url },
      body: new URLSearchParams({ csrf }),
    });
    const bytes = new Uint8Array(await response.arrayBuffer());
    const texts = Object.entries(unzipSync(bytes)).map(
      ([name, content]) => [name, strFromU8(content)] as const,
    );
    const data = Object.fromEntries(texts.map(([name, text]) => [name, JSON.parse(text)])) as Data;
    return { data, headers: response.headers, text: texts.map(([, text]) => text).join('') };
  }

  async function expectAllRecords(count: number): Promise<void> {
    const { accountId, browser, email } = await startJourney(server, { role: 'customer' });
    await browser.submit(await browser.open('/account'), 'sign-in', { email, password });
    const { audit } = storage.get();
    const before = await audit.list({ accountId, limit: BATCH });
    for (let left = count; left > 0; left -= BATCH) {
      const added = Array.from({ length: Math.min(left, BATCH) }, () => exampleRecord({ accountId }));
      await audit.append(added);
    }
    const records = (await download(browser, server.url)).data['audit.json'] as {
      at: string;
      type: string;
    }[];
    // The download is a record, too.
    expect(records).toHaveLength(count + before.length + 1);
    expect(records[0]?.type).toBe('account.data_exported');
    const times = records.map(({ at }) => at);
    expect(times).toEqual(times.toSorted().reverse());
  }

  return { server, download, expectAllRecords };
}

onEveryEngine((engine) => {
  const { server, download, expectAllRecords } = useDownloads(engine);

  describe('downloading one’s data (GDPR Art. 15, 20)', () => {
    it('returns a ZIP archive of account, sessions, applications, consents and records, and records the download', async () => {
      const journey = await startJourney(server, { role: 'customer' });
      await obtainTokens(journey);
      const own = await server.clients.register(
        { type: 'spa', name: 'My own app', scopes: ['tickets:read'], redirectUris: ['https://own.example/'] },
        { id: journey.accountId, limit: 10 },
      );
      const { data, headers } = await download(journey.browser, server.url);
      expect(headers.get('content-type')).toBe('application/zip');
      expect(headers.get('content-disposition')).toBe('attachment; filename="account-data.zip"');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(Object.keys(data)).toEqual(files);
      expect(data['account.json']).toMatchObject({ account_id: journey.accountId, email: journey.email });
      expect(data['sessions.json']).toHaveLength(1);
      expect(data['applications.json']).toMatchObject({
        owned: [{ client_id: own.client.id }],
        co_owned: [],
      });
      expect(data['consents.json']).toMatchObject([{ client_id: journey.clientId }]);
      expect(data['audit.json']).toEqual(
        expect.arrayContaining([expect.objectContaining({ type: 'account.data_exported', by: 'you' })]),
      );
    });

    it('contains all records, newest first', () => expectAllRecords(MORE_THAN_TWO_PAGES));

    it('contains no secret, and no data of other users (OWASP ASVS 5.0 §14.2.6)', async () => {
      const journey = await startJourney(server, { role: 'customer' });
      const { access_token, refresh_token } = await obtainTokens(journey);
      const other = await server.addAccount();
      const account = await server.accounts.get(journey.accountId);
      const { text } = await download(journey.browser, server.url);
      const secrets = [account.passwordHash, password, access_token, refresh_token, journey.clientSecret];
      for (const secret of [...secrets, ...journey.browser.cookieValues(), other.id, other.email])
        expect(text).not.toContain(String(secret));
    });

    it('requires a form of the page and a sign-in', async () => {
      const journey = await startJourney(server, { role: 'customer' });
      const stranger = createBrowser(server.url);
      expect((await stranger.open('/account/data')).url.pathname).toBe('/sign-in');
      await obtainTokens(journey);
      const forged = await journey.browser.send('/account/data', {
        method: 'POST',
        body: new URLSearchParams(),
      });
      expect(forged.status).toBeGreaterThanOrEqual(400);
      expect(forged.headers.get('content-type')).not.toBe('application/zip');
    });
  });
});

onSqlite((engine) => {
  const { expectAllRecords } = useDownloads(engine);

  describe('downloading one’s data from a long log', () => {
    it('contains more than 10,000 records', () => expectAllRecords(10_500));
  });
});
