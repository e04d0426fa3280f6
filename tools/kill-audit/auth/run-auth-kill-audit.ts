import { randomUUID as newId, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { findFreePort } from '@keydesk/testing';

import { createInitialAccessTokens } from '../../../apps/auth/src/clients/registration/initial-access-tokens.ts';
import { assembleClients } from '../../../apps/auth/src/composition/clients.ts';
import { deriveKeys } from '../../../apps/auth/src/keys/derived-keys.ts';
import { openStorage } from '../../../apps/auth/src/storage/open-storage.ts';
import type { Storage } from '../../../apps/auth/src/storage/storage.ts';
import type { KillAudit, KillAuditOptions } from '../kill-audit.ts';
import { countOf, killDuring } from '../kill-during.ts';
import { startKillable } from '../killable-process.ts';
import { REDIRECT_URI } from './application.ts';
import { createLedger } from './ledger.ts';
import { findFaults } from './verify.ts';
import { write } from './writer.ts';

/** Requests of a round: an account, a code, six refreshes, two registrations and a removal. */
const ACKNOWLEDGED_IN_A_ROUND = 11;

/**
 * Kills the authorization server with SIGKILL during sign-ups, refreshes and client registrations. After each restart
 * it uses what was acknowledged since the last one; at the end it checks everything again.
 */
export async function runAuthKillAudit(options: KillAuditOptions): Promise<KillAudit> {
  const port = await findFreePort();
  const issuer = `http://127.0.0.1:${port}`;
  const masterSecret = randomBytes(32).toString('base64url');
  const env = { ...toAuthEnv(options), AUTH_PORT: String(port), ISSUER: issuer, MASTER_SECRET: masterSecret };
  const storage = await openStorage({ url: options.storageUrl });
  const application = { issuer, clientId: await addApplication(storage, masterSecret) };
  const ledger = createLedger();
  const faults: string[] = [];
  let [unanswered, server] = [0, await startKillable('auth', issuer, env)];
  try {
    for (let kill = 1; kill <= options.kills; kill++) {
      const [visitsBefore, registrationsBefore] = [ledger.visits.length, ledger.registrations.length];
      const deps = { application, ledger, initialAccessToken: await addInitialAccessToken(storage) };
      const { connections } = options;
      const { acknowledged } = ledger;
      // One more than all connections can have just before the end of a round, so that at least one completes a round.
      const least = connections * (ACKNOWLEDGED_IN_A_ROUND - 1) + 1;
      const load = { connections, acknowledged, least };
      await killDuring({ ...load, write: (isOver) => write(deps, isOver) }, server);
      const visits = ledger.visits.slice(visitsBefore);
      const registrations = ledger.registrations.slice(registrationsBefore);
      unanswered += [...visits, ...registrations].filter(({ isInFlight }) => isInFlight).length;
      server = await startKillable('auth', issuer, env);
      faults.push(...(await findFaults({ application, storage }, { visits, registrations })));
      options.onKill?.(kill, countOf(acknowledged));
    }
    faults.push(...(await findFaults({ application, storage }, ledger)));
  } finally {
    await server.kill();
    await storage.close();
  }
  return { kills: options.kills, acknowledged: ledger.acknowledged, unanswered, faults };
}

/** Registers the application of all users. */
export async function addApplication(storage: Storage, masterSecret: string): Promise<string> {
  const clients = assembleClients({ storage, derived: deriveKeys(masterSecret), now: () => new Date() });
  const request = {
    type: 'native',
    name: 'Audit',
    scopes: ['tickets:read'],
    redirectUris: [REDIRECT_URI],
  } as const;
  return (await clients.add(request)).client.id;
}

/** Creates an initial access token (RFC 7591 §3). */
export async function addInitialAccessToken({ initialAccessTokens: store }: Storage): Promise<string> {
  const tokens = createInitialAccessTokens({ store, now: () => new Date(), newId });
  return (await tokens.add({ name: 'audit', uses: 1_000, lifeSeconds: 3_600 })).token;
}

/** Returns the environment of an audited authorization server, without its URLs and secret. */
export function toAuthEnv({
  storageUrl,
  folder,
}: Pick<KillAuditOptions, 'storageUrl' | 'folder'>): Record<string, string> {
  return {
    NODE_ENV: 'test',
    LOG_LEVEL: 'silent',
    STORAGE_URL: storageUrl,
    MAIL_FOLDER: join(folder, 'mail'),
    DYNAMIC_REGISTRATION_RATE_LIMIT_PER_ADDRESS: '0',
    AUTHORIZATION_RATE_LIMIT_PER_ADDRESS: '0',
    TOKEN_RATE_LIMIT_PER_ADDRESS: '0',
    TOKEN_RATE_LIMIT_PER_CLIENT: '0',
    MAIL_REQUESTS_PER_NETWORK: '0',
    SIGN_IN_FAILURES_PER_NETWORK: '0',
    SIGN_IN_FAILURES_PER_ACCOUNT: '0',
    SIGN_IN_FAILURES_PER_ACCOUNT_AND_NETWORK: '0',
    // An application retries its interrupted refresh after the restart, which may take long.
    REFRESH_REPLAY_SECONDS: '300',
  };
}
