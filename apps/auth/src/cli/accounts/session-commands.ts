import type { Command } from 'commander';
import type { Account } from '../../accounts/account/account.ts';
import type { Accounts } from '../../accounts/accounts.ts';
import type { AccountSession } from '../../accounts/sessions/session-registry.ts';
import { type CliContext, CliError, withAccounts } from '../kit/context.ts';
import { formatTime, toJson, toTable } from '../kit/output.ts';
import { getAccount, operator } from './account-commands.ts';

interface EndOptions {
  all?: boolean;
  yes?: boolean;
  json?: boolean;
}

/** Adds the commands `session …`. */
export function addSessionCommands(group: Command, context: CliContext): void {
  group
    .command('list')
    .description('list the sessions of an account, the last used first')
    .argument('<account>', 'e-mail address or id')
    .option('--json', 'print JSON')
    .action((named: string, { json }: { json?: boolean }) =>
      withAccounts(context, async (accounts) => {
        const { id } = await getAccount(accounts, named);
        print(context, await accounts.listSessions(id), json);
      }),
    );

  group
    .command('end')
    .description('end one session, or all, with its tokens')
    .argument('<account>', 'e-mail address or id')
    .argument('[session-id]', 'id of the session (see session list)')
    .option('--all', 'end all sessions')
    .option('--yes', 'apply the change (default: dry run)')
    .option('--json', 'print JSON')
    .action((named: string, sessionId: string | undefined, options: EndOptions) =>
      withAccounts(context, async (accounts) => {
        const account = await getAccount(accounts, named);
        const ended = await findEnded(accounts, account, { sessionId, all: options.all });
        if (options.yes) await end(accounts, account, sessionId);
        report(context, ended, options);
      }),
    );
}

async function findEnded(
  accounts: Accounts,
  { id }: Account,
  { sessionId, all = false }: { sessionId: string | undefined; all?: boolean | undefined },
): Promise<readonly AccountSession[]> {
  if (all === (sessionId !== undefined)) throw new CliError('Pass a session id or --all.');
  const sessions = await accounts.listSessions(id);
  if (all) return sessions;
  const found = sessions.filter((session) => session.id === sessionId);
  if (found.length === 0) throw new CliError(`The account has no session ${sessionId}; see session list.`);
  return found;
}

/** Ends one session; without an id all, which also ends sign-ins in flight. */
async function end(accounts: Accounts, { id }: Account, sessionId: string | undefined): Promise<void> {
  if (sessionId === undefined) await accounts.signOutEverywhere(id, operator);
  else await accounts.endSession({ accountId: id, sessionId }, operator);
}

function report(
  context: CliContext,
  ended: readonly AccountSession[],
  { yes = false, json }: EndOptions,
): void {
  const note = yes ? 'Ended.\n' : 'Nothing was changed; pass --yes to end these sessions.\n';
  const answer = { is_dry_run: !yes, sessions: ended.map(sessionToJson) };
  context.print(json ? toJson(answer) : listSessions(ended) + note);
}

function print(context: CliContext, sessions: readonly AccountSession[], json?: boolean): void {
  context.print(json ? toJson(sessions.map(sessionToJson)) : listSessions(sessions));
}

function sessionToJson({ id, device, address, firstSeenAt, lastSeenAt, clientIds }: AccountSession) {
  return {
    session_id: id,
    browser: device.browser ?? null,
    system: device.system ?? null,
    address,
    first_seen_at: firstSeenAt,
    last_seen_at: lastSeenAt,
    client_ids: clientIds,
  };
}

function listSessions(sessions: readonly AccountSession[]): string {
  if (sessions.length === 0) return 'No sessions found.\n';
  return toTable(
    ['SESSION ID', 'BROWSER', 'SYSTEM', 'ADDRESS', 'FIRST SEEN', 'LAST SEEN', 'CLIENTS'],
    sessions.map(({ id, device, address, firstSeenAt, lastSeenAt, clientIds }) => [
      id,
      device.browser ?? 'unknown',
      device.system ?? 'unknown',
      address,
      formatTime(firstSeenAt),
      formatTime(lastSeenAt),
      String(clientIds.length),
    ]),
  );
}
