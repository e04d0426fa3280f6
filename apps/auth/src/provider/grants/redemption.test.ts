import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import {
  createAssertion,
  redemptionRequestOf,
  refreshRequestOf,
  startThreeLeggedServer,
  type ThreeLeggedServer,
  type TokenResponse,
} from './three-legged-server.fixture.ts';

const RACERS_OF_EACH = 5;
const oftenEnough = { repeats: 5 };
const invalidGrant = { status: 400, body: { error: 'invalid_grant' } };

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  let here: ThreeLeggedServer;
  let there: ThreeLeggedServer;

  beforeAll(async () => {
    here = await startThreeLeggedServer(storage.get());
    there = await startThreeLeggedServer(await storage.openAnother());
  });
  afterAll(() => {
    here.stop();
    there.stop();
  });

  /** Sends the same request ten times concurrently, to two servers on one database. */
  function race(parameters: Record<string, string>): Promise<TokenResponse[]> {
    const racers = Array(RACERS_OF_EACH).fill([here, there]).flat() as ThreeLeggedServer[];
    return Promise.all(racers.map((server) => server.requestToken(parameters)));
  }

  /** Asserts that exactly one response is 200 and returns it. */
  function expectOneWinner(answers: readonly TokenResponse[]): TokenResponse {
    const winner = answers.find(({ status }) => status === 200);
    expect(answers.filter((answer) => answer !== winner)).toEqual(
      Array(answers.length - 1).fill({ ...invalidGrant, body: expect.objectContaining(invalidGrant.body) }),
    );
    return winner ?? expect.fail('no request got tokens');
  }

  async function expectRevoked(tokens: TokenResponse): Promise<void> {
    expect(await here.useAccessToken(tokens)).toBe(401);
    expect(await here.requestToken(refreshRequestOf(tokens))).toMatchObject(invalidGrant);
  }

  describe('redeeming a code (RFC 6749 §4.1.2, §10.5)', () => {
    it('returns valid tokens to a single request', async () => {
      const tokens = await here.requestToken(redemptionRequestOf(await here.issueCode()));
      expect(await there.useAccessToken(tokens)).toBe(200);
      expect(await there.requestToken(refreshRequestOf(tokens))).toMatchObject({ status: 200 });
    });

    it(
      'returns tokens to exactly one of ten concurrent requests, and revokes them',
      oftenEnough,
      async () => {
        const answers = await race(redemptionRequestOf(await here.issueCode()));
        await expectRevoked(expectOneWinner(answers));
      },
    );

    it('revokes the tokens on second use of the code', async () => {
      const redemption = redemptionRequestOf(await here.issueCode());
      const tokens = await here.requestToken(redemption);
      expect(tokens.status).toBe(200);
      expect(await there.requestToken(redemption)).toMatchObject(invalidGrant);
      await expectRevoked(tokens);
    });
  });

  describe('refreshing tokens (RFC 9700 §4.14.2, RFC 6749 §10.4)', () => {
    it(
      'returns tokens to exactly one of ten concurrent requests, and revokes the family',
      oftenEnough,
      async () => {
        const tokens = await here.requestToken(redemptionRequestOf(await here.issueCode()));
        const answers = await race(refreshRequestOf(tokens));
        await expectRevoked(expectOneWinner(answers));
        await expectRevoked(tokens);
      },
    );

    it('revokes the family on second use of a refresh token', async () => {
      const first = await here.requestToken(redemptionRequestOf(await here.issueCode()));
      const second = await here.requestToken(refreshRequestOf(first));
      const third = await there.requestToken(refreshRequestOf(second));
      expect(third.status).toBe(200);
      expect(await there.requestToken(refreshRequestOf(first))).toMatchObject(invalidGrant);
      await expectRevoked(third);
    });
  });

  describe('client authentication by assertion (RFC 7523 §3)', () => {
    it('accepts each assertion once, even among concurrent requests', oftenEnough, async () => {
      const assertion = createAssertion();
      const statuses = (await race(assertion)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      for (const status of statuses) expect([200, 400, 401]).toContain(status);
      expect(await here.requestToken(assertion)).toMatchObject({ status: 401 });
      expect(await here.requestToken(createAssertion())).toMatchObject({ status: 200 });
    });
  });
});
