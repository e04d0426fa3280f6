import type { AuditEventType } from '../../../apps/auth/src/audit/audit-event.ts';
import type { Storage } from '../../../apps/auth/src/storage/storage.ts';
import { type Answer, type Application, redeem, refresh, send } from './application.ts';
import type { Registration, Visit } from './ledger.ts';

export interface VerifierDeps {
  application: Application;
  storage: Storage;
}

/** Lifetime of a code, less the fraction of a second that its expiry lacks. */
const CODE_LIFETIME_MS = 59_000;

type Facts = Readonly<Record<string, boolean>>;

/**
 * Returns all problems of a killed server: lost acknowledged state, and codes or tokens that work twice. It uses every
 * code and refresh token, so that a second check must find all of them invalid.
 */
export async function findFaults(
  deps: VerifierDeps,
  { visits, registrations }: { visits: readonly Visit[]; registrations: readonly Registration[] },
): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const visit of visits) {
    faults.push(...toFaults(visit.email, await lookAtAccount(deps, visit)));
    faults.push(...toFaults(visit.email, await useTokens(deps, visit)));
  }
  for (const registration of registrations)
    faults.push(...toFaults(registration.name, await lookAtClient(deps, registration)));
  return faults;
}

/**
 * Uses the code and refresh tokens of a visit. An interrupted refresh must be applied completely or not at all: a retry
 * gets the same response (RFC 9700 §4.14.2). A code with an interrupted redemption may be lost.
 */
async function useTokens({ application }: VerifierDeps, visit: Visit): Promise<Facts> {
  const { code, refreshTokens, isInFlight, isUsedUp } = visit;
  if (!code) return {};
  const newest = refreshTokens.at(-1);
  const use = () => (newest === undefined ? redeem(application, code) : refresh(application, newest));
  const answers = [await use(), await use()];
  const given = answers.flatMap(({ status, body }) => (status === 200 ? [body.refresh_token ?? ''] : []));
  const mayBeLost = isUsedUp || (newest === undefined && isInFlight);
  // A second use of a code revokes all tokens issued for it (RFC 6749 §4.1.2), unless the code has expired.
  const used = [await redeem(application, code)];
  const mayHaveExpired = performance.now() - code.requestedAt > CODE_LIFETIME_MS;
  for (const token of [...refreshTokens, ...given]) used.push(await refresh(application, token));
  visit.isUsedUp = true;
  return {
    'an acknowledged code or token works': mayBeLost || answers[0]?.status === 200,
    'a second use returns the same response': new Set(given).size <= (isUsedUp ? 0 : 1),
    'no token works after its code was used twice': mayHaveExpired || used.every(isRefused),
    'an invalid code or token is refused': answers.every((each) => each.status === 200 || isRefused(each)),
  };
}

const isRefused = ({ status, body }: Answer) => status === 400 && body.error === 'invalid_grant';

async function lookAtAccount({ storage }: VerifierDeps, visit: Visit): Promise<Facts> {
  if (!visit.hasAccount) return {};
  const account = await storage.accounts.findByEmail(visit.email);
  const types = account ? await typesOf(storage, { accountId: account.id }) : [];
  return {
    'the account exists': account !== undefined,
    'its sign-up is on record': types.includes('account.signed_up'),
    'its sign-in is on record': types.includes('account.signed_in'),
    'its consent is on record': !visit.code || types.includes('consent.given'),
  };
}

async function lookAtClient(
  { application, storage }: VerifierDeps,
  { clientId, uri, token, name, secret, isRemoved, isInFlight }: Registration,
): Promise<Facts> {
  if (clientId === undefined) return {};
  const { status, body } = await send(uri, { headers: { Authorization: `Bearer ${token}` } });
  const isThere = status === 200 && body.client_name === name;
  const types = await typesOf(storage, { clientId });
  const authenticated = await send(`${application.issuer}/token/introspection`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: clientId, client_secret: secret, token: 'x' }),
  });
  return {
    'the client exists unless it was removed': isThere !== isRemoved || isInFlight,
    'its secret works while it exists': isThere === (authenticated.status === 200),
    'its registration is on record': types.includes('client.registered'),
    'its removal is on record': !isRemoved || types.includes('client.removed'),
  };
}

async function typesOf(
  { audit }: Storage,
  about: { accountId?: string; clientId?: string },
): Promise<readonly AuditEventType[]> {
  return (await audit.list({ ...about, limit: 100 })).map(({ type }) => type);
}

function toFaults(name: string, facts: Facts): string[] {
  return Object.entries(facts)
    .filter(([, holds]) => !holds)
    .map(([fact]) => `${name}: violated: ${fact}`);
}
