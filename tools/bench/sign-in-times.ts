import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort, readCommandLine, readCount } from '@keydesk/testing';
import { createFactors, type Factors } from '../../apps/auth/src/accounts/factors/factors.ts';
import { createPasskey } from '../../apps/auth/src/accounts/factors/passkey.fixture.ts';
import { runCli } from '../../apps/auth/src/cli/program.ts';
import { openStorage } from '../../apps/auth/src/storage/open-storage.ts';
import { startServer } from './processes.ts';

const usage = `Usage: node tools/bench/sign-in-times.ts [--samples 200]

Measures how long the sign-in page takes to reject a wrong password, by what the address belongs to. Prints percentiles,
and the share of samples that took longer than one for an unknown address: 0.5 if nothing can be learned.`;
const { values } = readCommandLine(usage, { options: { samples: { type: 'string', default: '200' } } });
const samples = readCount('--samples', values.samples);

const folder = mkdtempSync(join(tmpdir(), 'keydesk-sign-in-times-'));
const port = await findFreePort();
const env = {
  AUTH_PORT: String(port),
  ISSUER: `http://127.0.0.1:${port}`,
  MASTER_SECRET: randomBytes(32).toString('base64url'),
  STORAGE_URL: `sqlite:${join(folder, 'auth.db')}`,
  MAIL_FOLDER: join(folder, 'mail'),
  SIGN_IN_FAILURES_PER_NETWORK: '0',
  SIGN_IN_FAILURES_PER_ACCOUNT: '0',
  SIGN_IN_FAILURES_PER_ACCOUNT_AND_NETWORK: '0',
};

async function keydesk(args: readonly string[], input = ''): Promise<void> {
  const printed: string[] = [];
  const print = (text: string) => void printed.push(text);
  const code = await runCli(args, { env, print, printError: print, readInput: async () => input });
  if (code !== 0) throw new Error(printed.join(''));
}

async function addAccount(factors: Partial<Factors> = {}): Promise<string> {
  const email = `${randomUUID()}@example.org`;
  const added = ['account', 'add', '--email', email, '--role', 'customer', '--password-stdin'];
  await keydesk(added, 'kindly yellow umbrella');
  const { id = '' } = (await storage.accounts.findByEmail(email)) ?? {};
  await storage.factors.replace({ ...createFactors(id), ...factors, version: 1 }, 0);
  return email;
}

/** Returns the time in milliseconds until a wrong password is rejected. */
async function measure(email: string): Promise<number> {
  const page = await fetch(`${env.ISSUER}/sign-in`);
  const csrf = /name="csrf" value="([^"]+)"/.exec(await page.text())?.[1] ?? '';
  const cookie = page.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  const body = new URLSearchParams({ email, csrf, password: 'not the right one' });
  const startedAt = performance.now();
  const answer = await fetch(`${env.ISSUER}/sign-in`, { method: 'POST', headers: { cookie }, body });
  await answer.arrayBuffer();
  if (answer.status !== 400) throw new Error(`The answer has status ${answer.status}.`);
  return performance.now() - startedAt;
}

/** Returns the probability that a time of one kind is longer than one of the other (Mann-Whitney). */
function shareOfLonger(one: readonly number[], other: readonly number[]): number {
  const wins = one.map((a) => other.filter((b) => a > b).length);
  return wins.reduce((sum, count) => sum + count, 0) / (one.length * other.length);
}

const server = await startServer('apps/auth/src/main.ts', port, env);
const storage = await openStorage({ url: env.STORAGE_URL });
try {
  const totp = { sealedSecret: randomBytes(60).toString('base64url'), lastStep: 0, createdAt: new Date() };
  const disabled = await addAccount();
  await keydesk(['account', 'disable', disabled]);
  const emails: Record<string, string> = {
    unknown: `${randomUUID()}@example.org`,
    password: await addAccount(),
    'authenticator app': await addAccount({ totp }),
    passkey: await addAccount({ passkeys: [createPasskey()] }),
    disabled,
  };
  const kinds = Object.keys(emails);
  const times = new Map(kinds.map((kind) => [kind, [] as number[]]));
  for (let i = 0; i < samples; i += 1)
    for (const kind of kinds.toSorted(() => Math.random() - 0.5))
      times.get(kind)?.push(await measure(emails[kind] ?? ''));
  for (const [kind, all] of times) {
    const sorted = all.toSorted((a, b) => a - b);
    const at = (share: number) => `${sorted[Math.floor(share * (sorted.length - 1))]?.toFixed(1)} ms`;
    const longer = shareOfLonger(all, times.get('unknown') ?? []).toFixed(3);
    console.log(`${kind.padEnd(18)} p10 ${at(0.1)}  median ${at(0.5)}  p90 ${at(0.9)}  longer ${longer}`);
  }
} finally {
  await storage.close();
  await server.stop();
  rmSync(folder, { recursive: true });
}
