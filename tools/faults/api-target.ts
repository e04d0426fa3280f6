import { setTimeout as sleep } from 'node:timers/promises';
import { startTestIssuer } from '@keydesk/testing';
import { openStorage } from '../../apps/tickets-api/src/storage/open-storage.ts';
import { createLedger } from '../kill-audit/api/ledger.ts';
import { toApiEnv } from '../kill-audit/api/run-api-kill-audit.ts';
import { findFaults } from '../kill-audit/api/verify.ts';
import { repeatCreations, write } from '../kill-audit/api/writer.ts';
import { PAUSE_MS, type Target, type TargetOptions } from './target.ts';

const REPETITIONS = 30;

/** Creates the API as the target of faults: tickets, replies, edits and deletions. */
export async function createApiTarget({ url, storageUrl, directUrl }: TargetOptions): Promise<Target> {
  const issuer = await startTestIssuer({ audience: url });
  const ledger = createLedger();
  const scope = 'tickets:read tickets:write tickets:delete';
  const createDeps = () => ({ url, token: issuer.token({ role: 'admin', scope }), ledger });
  let verified = 0;

  /** An unanswered creation is repeated with its `Idempotency-Key`, which must not create a second ticket. */
  async function repeat(): Promise<void> {
    for (let i = 1; ; i += 1) {
      try {
        return await repeatCreations(createDeps());
      } catch (err) {
        if (i === REPETITIONS) throw err;
        await sleep(PAUSE_MS);
      }
    }
  }

  return {
    app: 'tickets-api',
    env: { ...toApiEnv(storageUrl), BASE_URL: url, ISSUER: issuer.issuer },
    acknowledged: ledger.acknowledged,
    async write(isOver) {
      while (!isOver()) {
        // A wrong clock refuses the token.
        await write(createDeps(), isOver).catch(ignoreRefusedToken);
        if (!isOver()) await sleep(PAUSE_MS);
      }
    },
    async verify() {
      await repeat();
      await using opened = new AsyncDisposableStack();
      const storage = opened.adopt(await openStorage(directUrl), (each) => each.close());
      const faults = await findFaults(storage, ledger.entries.slice(verified), new Date(0).toISOString());
      verified = ledger.entries.length;
      return faults;
    },
    stream: () =>
      `GET /changes HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${createDeps().token}\r\n\r\n`,
    stop: () => issuer.stop(),
  };
}

function ignoreRefusedToken(err: unknown): void {
  if (!(err instanceof Error && err.message.includes(': 401 '))) throw err;
}
