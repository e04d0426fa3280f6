import { useStarted } from '@keydesk/testing';
import * as oauth from 'openid-client';
import { describe, expect, it } from 'vitest';
import { createBrowser } from '../../tests/browser.fixture.ts';
import { obtainTokens, startJourney } from '../../tests/people.fixture.ts';
import { startOperatedServer } from '../operated-server.fixture.ts';

describe('the session commands', () => {
  const operated = useStarted(startOperatedServer);

  async function signedInTwice() {
    const journey = await startJourney(operated.server);
    const phone = { ...journey, browser: createBrowser(operated.server.url) };
    const tokens = [await obtainTokens(journey), await obtainTokens(phone)] as const;
    const isSignedIn = async ({ browser }: typeof journey) =>
      (await browser.open('/account')).url.pathname === '/account';
    return { journey, phone, tokens, isSignedIn };
  }
  const list = async (email: string) =>
    JSON.parse((await operated.run('session', 'list', email, '--json')).stdout);

  it('list the sessions of an account by address and by id, the last used first', async () => {
    const { journey } = await signedInTwice();
    const listed = await list(journey.email);
    expect(listed).toHaveLength(2);
    expect(listed[0]).toEqual({
      session_id: expect.stringMatching(/^[\da-f]{16}$/),
      browser: null,
      system: null,
      address: '127.0.0.1',
      first_seen_at: expect.any(String),
      last_seen_at: expect.any(String),
      client_ids: [journey.clientId],
    });
    expect(await list(journey.accountId)).toEqual(listed);
    expect((await operated.run('session', 'list', journey.email)).stdout).toContain(listed[0].session_id);
  });

  it('end one session with its tokens, and only with --yes', async () => {
    const { journey, phone, tokens, isSignedIn } = await signedInTwice();
    const [{ session_id }] = await list(journey.email);
    const dry = await operated.run('session', 'end', journey.email, session_id);
    expect([dry.code, dry.stdout]).toEqual([0, expect.stringContaining('pass --yes')]);
    expect(await isSignedIn(phone)).toBe(true);

    const done = await operated.run('session', 'end', journey.email, session_id, '--yes', '--json');
    expect(JSON.parse(done.stdout)).toMatchObject({ is_dry_run: false, sessions: [{ session_id }] });
    expect([await isSignedIn(journey), await isSignedIn(phone)]).toEqual([true, false]);
    const refresh = oauth.refreshTokenGrant(journey.application, tokens[1].refresh_token ?? '');
    await expect(refresh).rejects.toMatchObject({ error: 'invalid_grant' });
    const types = ['session.ended'] as const;
    const records = await operated.storage.audit.list({ accountId: journey.accountId, types, limit: 5 });
    expect(records).toMatchObject([{ actor: 'operator', address: 'cli', details: { session: session_id } }]);
  });

  it('end all sessions', async () => {
    const { journey, phone, isSignedIn } = await signedInTwice();
    expect((await operated.run('session', 'end', journey.email, '--all', '--yes')).code).toBe(0);
    expect([await isSignedIn(journey), await isSignedIn(phone)]).toEqual([false, false]);
    expect(await list(journey.email)).toEqual([]);
  });

  it('reject an unknown session, that of another account, and neither or both of id and --all', async () => {
    const { journey } = await signedInTwice();
    const { journey: other } = await signedInTwice();
    const [{ session_id }] = await list(other.email);
    for (const args of [['0123456789abcdef'], [session_id], [], [session_id, '--all']]) {
      const { code, stderr } = await operated.run('session', 'end', journey.email, ...args, '--yes');
      expect([code, stderr]).toEqual([1, expect.stringMatching(/session/)]);
    }
    expect(await list(other.email)).toHaveLength(2);
  });
});
