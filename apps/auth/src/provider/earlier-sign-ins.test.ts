import { useStarted } from '@keydesk/testing';
import * as oauth from 'openid-client';
import { expect, it } from 'vitest';
import { deriveKeys } from '../keys/derived-keys.ts';
import { obtainTokens, startJourney } from '../people.fixture.ts';
import { onEveryEngine, useStorage } from '../storage/engines.fixture.ts';
import { masterSecret, startTestServer } from '../test-server.fixture.ts';
import { openPayload, sealPayload } from './artifact-payload.ts';

const { artifacts: sealer } = deriveKeys(masterSecret);

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() => startTestServer(storage.get()));

  /** Stores the sessions and grants of an account as versions before the credential epoch did. */
  async function takeBack(accountId: string): Promise<void> {
    const { artifacts } = storage.get();
    for (const model of ['Session', 'Grant']) {
      const found = await artifacts.findOfAccount(model, accountId, new Date());
      expect(found.length).toBeGreaterThan(0);
      for (const artifact of found) {
        const { credentialEpoch, ...earlier } = openPayload<{ credentialEpoch?: number }>(sealer, artifact);
        expect(credentialEpoch).toBe(0);
        await artifacts.upsert({ ...artifact, payload: sealPayload(sealer, artifact, earlier) });
      }
    }
  }

  it('sign-ins that an earlier version stored go on until the first change that ends sign-ins', async () => {
    const journey = await startJourney(server);
    const { accountId, application, browser } = journey;
    const { refresh_token: first = '' } = await obtainTokens(journey);
    await takeBack(accountId);

    expect((await browser.open('/account')).url.pathname).toBe('/account');
    const { refresh_token: second = '' } = await oauth.refreshTokenGrant(application, first);
    expect(second).not.toBe('');

    const { accounts } = storage.get();
    const account = await server.accounts.get(accountId);
    // The change alone, without the removal of what was stored that follows it.
    const changed = { ...account, credentialEpoch: 1, version: account.version + 1 };
    expect(await accounts.replace(changed, account.version)).toBe('replaced');
    expect((await browser.open('/account')).url.pathname).toBe('/sign-in');
    await expect(oauth.refreshTokenGrant(application, second)).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });
});
