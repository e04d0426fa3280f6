import { AppError } from '@keydesk/server';
import { type Account, updateAccount } from '../account/account.ts';
import type { Origin } from '../account/account-event.ts';
import type { AccountOperations } from '../account/account-operations.ts';
import type { AccountStore } from '../account/account-store.ts';
import type { AccountTokenStore } from '../account/account-token-store.ts';
import type { BackgroundTasks } from '../account/background-tasks.ts';
import { endSignIns, maySignIn } from '../account/credential-epoch.ts';
import type { AdministrationOptions } from '../changes/administration.ts';

export interface DeletionOptions {
  operations: AccountOperations;
  store: AccountStore;
  tokens: AccountTokenStore;
  background: Pick<BackgroundTasks, 'run'>;
  links: { signIn(): string };
  revokeSessions: AdministrationOptions['revokeSessions'];
  /** Deletes an account whose sign-ins have ended, with all that belongs to it. It can be repeated. */
  purge(id: string, origin: Origin): Promise<void>;
  /** Days between the request and the deletion. */
  deletionDays: number;
  now: () => Date;
}

/** Deletion of accounts, with days to change one's mind. */
export interface Deletion {
  /**
   * Schedules the deletion of an active account and ends everything at once: sessions, grants, tokens and mailed links
   * except "This was not me".
   *
   * @throws {AppError} `forbidden` for the last administrator, `conflict` if the account is not active
   */
  requestDeletion(id: string, origin: Origin): Promise<Account>;
  /**
   * Cancels a scheduled deletion.
   *
   * @param credentialEpoch of the sign-in that keeps the account; the deletion changes it when it begins
   * @throws {AppError} `conflict` if no deletion is scheduled or it has begun
   */
  keepAccount(id: string, credentialEpoch: number, origin: Origin): Promise<Account>;
  /** Deletes up to `limit` accounts whose deletion is due at `now`; resolves with their number. Safe in several processes. */
  purgeExpired(now: Date, limit: number): Promise<number>;
}

const ONE_DAY_MS = 86_400_000;
const PAGE_SIZE = 500;
const server: Origin = { address: 'server', actor: 'server' };

export function createDeletion(options: DeletionOptions): Deletion {
  const { operations, store, background, links, now } = options;

  const hasOtherAdministrator = async (id: string) =>
    (await store.list({ role: 'admin', status: 'active', limit: 2 })).some((each) => each.id !== id);

  /** Two administrators who leave at the same time must not both succeed: the one who finds no other returns. */
  async function returnIfLast(account: Account): Promise<void> {
    if (account.role !== 'admin' || (await hasOtherAdministrator(account.id))) return;
    await operations.change(account.id, (stored, at) => toKept(stored, account.credentialEpoch, at));
    throw lastAdministrator();
  }

  return {
    async requestDeletion(id, origin) {
      if ((await operations.get(id)).role === 'admin' && !(await hasOtherAdministrator(id)))
        throw lastAdministrator();
      const dueAt = new Date(now().getTime() + options.deletionDays * ONE_DAY_MS);
      const account = await operations.change(id, (stored, at) => toPending(stored, dueAt, at));
      await returnIfLast(account);
      await operations.recordEvent('account.deletion_requested', id, origin, { due: dueAt.toISOString() });
      // A thief may be the one who asks.
      await options.tokens.discard(id, { except: 'disown_sign_in' });
      await options.revokeSessions(id, origin);
      background.run(() =>
        operations.sendMail('deletion_requested', account, { link: links.signIn(), day: dueAt }),
      );
      return account;
    },
    async keepAccount(id, credentialEpoch, origin) {
      const account = await operations.change(id, (stored, at) => toKept(stored, credentialEpoch, at));
      await operations.recordEvent('account.deletion_cancelled', id, origin);
      background.run(() => operations.sendMail('deletion_cancelled', account, { link: links.signIn() }));
      return account;
    },
    async purgeExpired(at, limit) {
      let count = 0;
      for await (const { id } of listDue(store, at)) {
        if (count === limit) break;
        if (!(await begin(operations, id, at))) continue;
        await options.purge(id, server);
        count += 1;
      }
      return count;
    },
  };
}

/** Yields the accounts whose deletion is due. */
async function* listDue(store: Pick<AccountStore, 'list'>, now: Date): AsyncIterable<Account> {
  let afterEmail: string | undefined;
  do {
    const page = await store.list({ status: 'pending_deletion', afterEmail, limit: PAGE_SIZE });
    yield* page.filter((account) => isDue(account, now));
    afterEmail = page.length === PAGE_SIZE ? page.at(-1)?.email : undefined;
  } while (afterEmail !== undefined);
}

/**
 * Begins a due deletion, after which the account cannot be kept. Returns `false` if it was kept or deleted in the
 * meantime.
 */
async function begin(operations: AccountOperations, id: string, now: Date): Promise<boolean> {
  try {
    await operations.change(id, (stored, at) => {
      if (!isDue(stored, now)) throw notPending();
      return endSignIns(stored, {}, at);
    });
    return true;
  } catch (err) {
    if (err instanceof AppError && (err.code === 'conflict' || err.code === 'not_found')) return false;
    throw err;
  }
}

/** Whether the owner of the mailbox can still get the account: it is active, or its deletion is not due. */
export function isRecoverable(account: Account | undefined, now: Date): account is Account {
  return maySignIn(account) && !isDue(account, now);
}

/** Whether a scheduled deletion is due, so that it may have begun. */
function isDue({ status, deletionDueAt }: Account, now: Date): boolean {
  return status === 'pending_deletion' && deletionDueAt !== null && deletionDueAt <= now;
}

function toPending(account: Account, dueAt: Date, now: Date): Account {
  if (account.status !== 'active')
    throw new AppError('conflict', 'Only an active account can be deleted this way.');
  return endSignIns(account, { status: 'pending_deletion', deletionDueAt: dueAt }, now);
}

function toKept(account: Account, credentialEpoch: number, now: Date): Account {
  const isOfSignIn = account.credentialEpoch === credentialEpoch;
  if (account.status !== 'pending_deletion' || isDue(account, now) || !isOfSignIn) throw notPending();
  return updateAccount(account, { status: 'active', deletionDueAt: null }, now);
}

function notPending(): AppError {
  return new AppError('conflict', 'No deletion of this account is scheduled, or it has begun.');
}

function lastAdministrator(): AppError {
  return new AppError(
    'forbidden',
    'The last administrator cannot leave; make another user an administrator first.',
  );
}
