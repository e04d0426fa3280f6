import * as oauth from 'openid-client';
import { describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../storage/engines.fixture.ts';
import { obtainTokens, startJourney } from '../tests/people.fixture.ts';
import { password, startTestServer } from '../tests/test-server.fixture.ts';

onEveryEngine((engine) => {
  describe('the audit log of a user', () => {
    const storage = useStorage(engine);

    it('contains the sign-in, each token and its revocation, and no secrets', async () => {
      const server = await startTestServer(storage.get());
      const { accountId, clientId, ...journey } = await startJourney(server);
      const first = await obtainTokens({ accountId, clientId, ...journey });
      const second = await oauth.refreshTokenGrant(journey.application, first.refresh_token ?? '');
      await oauth.tokenRevocation(journey.application, second.refresh_token ?? '');
      await server.stop();

      const records = await storage.get().audit.list({ accountId, limit: 100 });
      const typesSeen = records.map(({ type }) => type);
      expect(typesSeen).toEqual(
        expect.arrayContaining(['account.signed_in', 'token.issued', 'token.revoked', 'grant.revoked']),
      );
      const issued = records.filter(({ type }) => type === 'token.issued');
      expect(issued.map(({ details }) => details.grant_type)).toEqual([
        'refresh_token',
        'authorization_code',
      ]);
      for (const record of issued) expect(record).toMatchObject({ actor: clientId, clientId, accountId });

      const dump = await storage.database().dump();
      const tokens = [first, second].flatMap((each) => [
        each.access_token,
        each.refresh_token ?? '',
        each.id_token ?? '',
      ]);
      for (const hidden of [...tokens, password]) {
        expect(JSON.stringify(records)).not.toContain(hidden);
        expect(dump.includes(hidden)).toBe(false);
      }
    });
  });
});
