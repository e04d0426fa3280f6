import { useStarted } from '@keydesk/testing';
import { decodeJwt } from 'jose';
import * as oauth from 'openid-client';
import { expect, it } from 'vitest';
import { deriveKeys } from '../keys/derived-keys.ts';
import { onEveryEngine, useStorage } from '../storage/engines.fixture.ts';
import { obtainTokens, startJourney } from '../tests/people.fixture.ts';
import { API, masterSecret, startTestServer } from '../tests/test-server.fixture.ts';
import { artifactKeyOf } from './artifact-key.ts';
import { openPayload, sealPayload } from './artifact-payload.ts';

const RETIRED = 'webhooks:manage';
const { artifacts: sealer } = deriveKeys(masterSecret);

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() => startTestServer(storage.get()));

  /** Rewrites the sessions and grants of an account as stored by versions without the credential epoch. */
  async function removeCredentialEpochs(accountId: string): Promise<void> {
    const { artifacts } = storage.get();
    for (const model of ['Session', 'Grant']) {
      const found = await artifacts.findByAccount(model, accountId, new Date());
      expect(found.length).toBeGreaterThan(0);
      for (const artifact of found) {
        const { credentialEpoch, ...earlier } = openPayload<{ credentialEpoch?: number }>(sealer, artifact);
        expect(credentialEpoch).toBe(0);
        await artifacts.upsert({ ...artifact, payload: sealPayload(sealer, artifact, earlier) });
      }
    }
  }

  /** Rewrites the grant of an account and its refresh token to include the retired scope. */
  async function addRetiredScope(accountId: string, refreshToken: string): Promise<void> {
    const { artifacts } = storage.get();
    const [grant] = await artifacts.findByAccount('Grant', accountId, new Date());
    const token = await artifacts.find('RefreshToken', artifactKeyOf(refreshToken), new Date());
    if (!grant || !token) throw new Error('The account has no grant with a refresh token.');
    const granted = openPayload<{ resources: Record<string, string> }>(sealer, grant);
    const resources = { ...granted.resources, [API]: `${granted.resources[API]} ${RETIRED}` };
    const stored = openPayload<{ scope: string }>(sealer, token);
    for (const [artifact, payload] of [
      [grant, { ...granted, resources }],
      [token, { ...stored, scope: `${stored.scope} ${RETIRED}` }],
    ] as const)
      await artifacts.upsert({ ...artifact, payload: sealPayload(sealer, artifact, payload) });
  }

  it('a grant with a retired scope is refreshed to tokens without that scope (RFC 6749 §6)', async () => {
    const journey = await startJourney(server);
    const { accountId, application } = journey;
    const { refresh_token: first = '' } = await obtainTokens(journey);
    await addRetiredScope(accountId, first);

    const tokens = await oauth.refreshTokenGrant(application, first);
    expect(tokens.scope?.split(' ')).toEqual(expect.arrayContaining(['openid', 'tickets:read']));
    const claims = decodeJwt<{ scope: string }>(tokens.access_token);
    for (const scope of [tokens.scope, claims.scope]) expect(scope).not.toContain(RETIRED);
    const again = await oauth.refreshTokenGrant(application, tokens.refresh_token ?? '');
    expect(again.scope).toBe(tokens.scope);
    const asked = oauth.refreshTokenGrant(application, again.refresh_token ?? '', { scope: RETIRED });
    await expect(asked).rejects.toMatchObject({ error: 'invalid_scope' });
  });

  it('sign-ins stored by an earlier version stay valid until the first change that ends sign-ins', async () => {
    const journey = await startJourney(server);
    const { accountId, application, browser } = journey;
    const { refresh_token: first = '' } = await obtainTokens(journey);
    await removeCredentialEpochs(accountId);

    expect((await browser.open('/account')).url.pathname).toBe('/account');
    const { refresh_token: second = '' } = await oauth.refreshTokenGrant(application, first);
    expect(second).not.toBe('');

    const { accounts } = storage.get();
    const account = await server.accounts.get(accountId);
    // Only the account changes; the stored sessions and grants are not removed.
    const changed = { ...account, credentialEpoch: 1, version: account.version + 1 };
    expect(await accounts.replace(changed, account.version)).toBe('replaced');
    expect((await browser.open('/account')).url.pathname).toBe('/sign-in');
    await expect(oauth.refreshTokenGrant(application, second)).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });
});
