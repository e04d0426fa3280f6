import { createDpopKey, type DpopKey, type ProofOverrides, startTestIssuer } from '@keydesk/testing';
import { expect } from 'vitest';
import { createManualClock, type Sent, startResourceServer } from '../resource-server.fixture.ts';
import type { ProofVerifierOptions } from './proof-verifier.ts';

export const accepted = { status: 200 };
export const invalidProof = {
  status: 401,
  challenge: expect.stringContaining('error="invalid_dpop_proof"'),
  body: expect.objectContaining({ code: 'invalid_dpop_proof' }),
};
export const invalidToken = {
  status: 401,
  challenge: expect.stringContaining('error="invalid_token"'),
  body: expect.objectContaining({ code: 'invalid_token' }),
};

/** A request with a bound token; `token` overrides the default one. */
interface Presented extends Sent {
  token?: string;
}

/** Starts an issuer, a resource server that accepts bound tokens, and a client with a key and a bound token. */
export async function startDpopWorld(proofs: Partial<ProofVerifierOptions> = {}) {
  const { now, advanceSeconds } = createManualClock();
  const issuer = await startTestIssuer({ now });
  const server = await startResourceServer(issuer, { now, proofs });
  const key = createDpopKey({ now });
  const tokenFor = (holder: DpopKey, claims = {}) =>
    issuer.token({ cnf: { jkt: holder.thumbprint }, ...claims });
  const boundToken = tokenFor(key);

  function present(proof: string | string[], { token = boundToken, headers, ...sent }: Presented = {}) {
    return server.send({
      ...sent,
      headers: { Authorization: `DPoP ${token}`, DPoP: proof, ...headers },
    });
  }

  return {
    issuer,
    server,
    key,
    token: boundToken,
    tokenFor,
    now,
    advanceSeconds,
    /** Sends a request with this proof, valid or not. */
    present,
    /** Sends a request with a new proof that is valid except for the overrides. */
    prove(overrides: ProofOverrides = {}, { holder = key, ...sent }: Presented & { holder?: DpopKey } = {}) {
      const { method = 'GET', path = '/', token = boundToken } = sent;
      const proof = holder.proof({ method, url: `${issuer.audience}${path}`, token }, overrides);
      return present(proof, sent);
    },
    /** Creates a proof for `GET /` without sending it. */
    proof: (overrides: ProofOverrides = {}) =>
      key.proof({ url: `${issuer.audience}/`, token: boundToken }, overrides),
    async stop() {
      await server.stop();
      await issuer.stop();
    },
  };
}

export type DpopWorld = Awaited<ReturnType<typeof startDpopWorld>>;
