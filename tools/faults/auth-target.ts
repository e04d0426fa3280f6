import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { openStorage } from '../../apps/auth/src/storage/open-storage.ts';
import type { Storage } from '../../apps/auth/src/storage/storage.ts';
import { Unanswered } from '../kill-audit/auth/application.ts';
import { createLedger } from '../kill-audit/auth/ledger.ts';
import { addApplication, addInitialAccessToken, toAuthEnv } from '../kill-audit/auth/run-auth-kill-audit.ts';
import { findFaults } from '../kill-audit/auth/verify.ts';
import { write } from '../kill-audit/auth/writer.ts';
import { PAUSE_MS, type Target, type TargetOptions } from './target.ts';

/** Creates the authorization server as the target of faults: sign-ups, codes, refreshes and client registrations. */
export async function createAuthTarget(options: TargetOptions): Promise<Target> {
  const { url: issuer, storageUrl, directUrl } = options;
  const masterSecret = randomBytes(32).toString('base64url');
  const open = () => openStorage({ url: directUrl });
  const { application, initialAccessToken } = await prepare(await open(), issuer, masterSecret);
  const ledger = createLedger();
  const deps = { application, ledger, initialAccessToken };
  const unexpected: string[] = [];
  let [visits, registrations] = [0, 0];
  return {
    app: 'auth',
    env: { ...toAuthEnv({ ...options, storageUrl }), ISSUER: issuer, MASTER_SECRET: masterSecret },
    acknowledged: ledger.acknowledged,
    async write(isOver) {
      while (!isOver()) {
        await write(deps, isOver).catch((err) => {
          if (!(err instanceof Unanswered)) unexpected.push(String(err));
        });
        if (!isOver()) await sleep(PAUSE_MS);
      }
    },
    async verify() {
      const written = {
        visits: ledger.visits.slice(visits),
        registrations: ledger.registrations.slice(registrations),
      };
      [visits, registrations] = [ledger.visits.length, ledger.registrations.length];
      await using opened = new AsyncDisposableStack();
      const storage = opened.adopt(await open(), (each) => each.close());
      return [...unexpected.splice(0), ...(await findFaults({ application, storage }, written))];
    },
    stop: async () => undefined,
  };
}

/** Adds an application and an initial access token, and closes the storage. */
async function prepare(storage: Storage, issuer: string, masterSecret: string) {
  const application = { issuer, clientId: await addApplication(storage, masterSecret) };
  const initialAccessToken = await addInitialAccessToken(storage);
  await storage.close();
  return { application, initialAccessToken };
}
