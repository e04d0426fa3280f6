import { createDpopKey } from '@keydesk/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi } from '../tests/api.fixture.ts';
import { onEveryEngine } from './engines.fixture.ts';
import type { TestDatabase } from './test-database.fixture.ts';

onEveryEngine((createDatabase) => {
  describe('a stolen database (RFC 6819 §5.1.4.1)', () => {
    let database: TestDatabase;
    let api: TestApi;
    beforeAll(async () => {
      database = await createDatabase();
      api = await startApi({ storageUrl: database.storageUrl });
    });
    afterAll(async () => {
      await api.stop();
      await database.drop();
    });

    it('contains no token, no DPoP proof and no part of them', async () => {
      const key = createDpopKey();
      const claims = { role: 'agent', scope: 'tickets:read tickets:write tickets:delete' };
      const bearer = api.issuer.token(claims);
      const bound = api.issuer.token({ ...claims, cnf: { jkt: key.thumbprint } });
      const proof = key.proof({ method: 'POST', url: `${api.issuer.audience}/tickets.json`, token: bound });
      const repeatable = { 'Idempotency-Key': 'a-key-of-the-application' };
      const sent = [
        { Authorization: `Bearer ${bearer}`, ...repeatable },
        { Authorization: `DPoP ${bound}`, DPoP: proof, 'Idempotency-Key': 'another-key' },
      ];
      const statuses: number[] = [];
      for (const headers of sent)
        statuses.push((await api.request('POST', '/tickets.json', { subject: 'Umbrella' }, headers)).status);
      expect(statuses).toEqual([201, 201]);
      const again = await api.request('POST', '/tickets.json', { subject: 'Umbrella' }, sent[0]);
      const { id } = again.json as { id: string };
      for (const [method, path] of [
        ['PATCH', `/ticket/${id}.json`],
        ['POST', `/ticket/${id}/replies.json`],
        ['DELETE', `/ticket/${id}.json`],
      ] as const) {
        const body = { PATCH: { subject: 'Parasol' }, POST: { body: 'Thanks' }, DELETE: undefined }[method];
        await api.request(method, path, body, { Authorization: `Bearer ${bearer}` });
      }
      const dump = await database.dump();
      // Public data must be readable, so that secrets would be found.
      expect(dump).toContain('Parasol');
      const parts = [bearer, bound, proof].flatMap((token) => token.split('.'));
      expect(parts.filter((part) => dump.includes(part))).toEqual([]);
    });
  });
});
