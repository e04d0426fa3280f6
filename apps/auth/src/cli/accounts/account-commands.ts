import { open, rm } from 'node:fs/promises';
import { JsonTextError, parseJson } from '@keydesk/server';
import { type Command, Option } from 'commander';
import { type Account, type AccountStatus, accountStatuses } from '../../accounts/account/account.ts';
import type { AccountStore } from '../../accounts/account/account-store.ts';
import type { Accounts } from '../../accounts/accounts.ts';
import { countUnused } from '../../accounts/factors/recovery-codes.ts';
import { type Role, roles } from '../../values/scopes.ts';
import { type CliContext, CliError, withAccounts, withStoredAccounts } from '../kit/context.ts';
import { formatTime, toJson, toList, toTable } from '../kit/output.ts';

/** Origin of all commands about accounts in the audit log. */
export const operator = { address: 'cli', actor: 'operator' };
const PAGE_SIZE = 100;

interface AddOptions {
  email: string;
  name?: string;
  role: Role;
  passwordStdin?: boolean;
  json?: boolean;
}

/** Adds the commands `account …`. */
export function addAccountCommands(group: Command, context: CliContext): void {
  group
    .command('add')
    .description('add an account; its e-mail address counts as verified')
    .requiredOption('--email <email>', 'e-mail address, used to sign in')
    .option('--name <name>', 'name of the user')
    .addOption(new Option('--role <role>', 'role in the API').choices(roles).default('customer'))
    .option('--password-stdin', 'read the password from standard input (default: no password, no sign-in)')
    .option('--json', 'print JSON')
    .action(async ({ email, name, role, passwordStdin, json }: AddOptions) => {
      const password = passwordStdin ? await readPassword(context) : undefined;
      const request = { email, name, role, password };
      const account = await withAccounts(context, (accounts) => accounts.add(request, operator));
      print(context, account, json);
    });

  group
    .command('list')
    .description('list accounts, ordered by e-mail address')
    .addOption(new Option('--role <role>', 'filter by role').choices(roles))
    .addOption(new Option('--status <status>', 'filter by status').choices(accountStatuses))
    .option('--json', 'print JSON')
    .action(async ({ json, ...filter }: { role?: Role; status?: AccountStatus; json?: boolean }) => {
      const all = await withStoredAccounts(context, (store) => Array.fromAsync(listAll(store, filter)));
      context.print(json ? toJson(all.map(accountToJson)) : listAccounts(all));
    });

  group
    .command('show')
    .description('show one account')
    .argument('<account>', 'e-mail address or id')
    .option('--json', 'print JSON')
    .action(async (named: string, { json }: { json?: boolean }) => {
      context.print(await withAccounts(context, (accounts) => describeWithFactors(accounts, named, json)));
    });

  addChangeCommands(group, context);
  addProfileCommand(group, context);
  addExportCommand(group, context);
}

function addChangeCommands(group: Command, context: CliContext): void {
  const changing = (verb: string, description: string) =>
    group
      .command(verb)
      .description(description)
      .argument('<account>', 'e-mail address or id')
      .option('--json', 'print JSON');
  const change = async (named: string, act: (accounts: Accounts, id: string) => Promise<Account>) =>
    withAccounts(context, async (accounts) => act(accounts, (await getAccount(accounts, named)).id));

  changing(
    'set-role',
    'change the role; a higher one ends every session, a lower one takes effect with the next token',
  )
    .addArgument(group.createArgument('<role>').choices(roles))
    .action(async (named: string, role: Role, { json }: { json?: boolean }) => {
      print(context, await change(named, (accounts, id) => accounts.setRole(id, role, operator)), json);
    });
  changing('disable', 'end every session and reject sign-ins').action(async (named: string, { json }) => {
    print(context, await change(named, (accounts, id) => accounts.disable(id, operator)), json);
  });
  changing('sign-out', 'end every session and refresh token').action(async (named: string, { json }) => {
    print(context, await change(named, (accounts, id) => accounts.signOutEverywhere(id, operator)), json);
  });
  changing(
    'reset-factors',
    'remove the authenticator app, recovery codes and passkeys; ends every session',
  ).action(async (named: string, { json }) => {
    const reset = (accounts: Accounts, id: string) => accounts.factorChanges.resetFactors(id, operator);
    print(context, await change(named, reset), json);
  });
  changing('enable', 'allow sign-ins again').action(async (named: string, { json }) => {
    print(context, await change(named, (accounts, id) => accounts.enable(id, operator)), json);
  });
  changing('delete', 'end every session and delete the account after ACCOUNT_DELETION_DAYS').action(
    async (named: string, { json }) => {
      print(context, await change(named, (accounts, id) => accounts.requestDeletion(id, operator)), json);
    },
  );
  changing('keep', 'cancel the deletion of an account').action(async (named: string, { json }) => {
    const keep = async (accounts: Accounts, id: string) =>
      accounts.keepAccount(id, (await accounts.get(id)).credentialEpoch, operator);
    print(context, await change(named, keep), json);
  });
  changing('remove', 'delete the account permanently').action(async (named: string, { json }) => {
    const account = await change(named, async (accounts, id) => {
      const removed = await accounts.get(id);
      await accounts.remove(id, operator);
      return removed;
    });
    const answer = { account_id: account.id, removed: true };
    context.print(json ? toJson(answer) : `Account ${account.email} was removed.\n`);
  });
  changing('reset-password', 'set the password from standard input and end every session')
    .option('--password-stdin', 'accepted for consistency with `account add`; always on')
    .action(async (named: string, { json }) => {
      const newPassword = await readPassword(context);
      const set = (accounts: Accounts, accountId: string) =>
        accounts.setPassword({ accountId, newPassword }, operator);
      print(context, await change(named, set), json);
    });
}

function addProfileCommand(group: Command, context: CliContext): void {
  group
    .command('set-profile')
    .description('replace the profile with the claims (JSON) from standard input')
    .argument('<account>', 'e-mail address or id')
    .option('--json', 'print JSON')
    .action(async (named: string, { json }: { json?: boolean }) => {
      const profile = readClaims(await context.readInput());
      const account = await withAccounts(context, async (accounts) => {
        const { id } = await getAccount(accounts, named);
        return accounts.setProfile(id, profile, operator);
      });
      print(context, account, json);
    });
}

function addExportCommand(group: Command, context: CliContext): void {
  group
    .command('export')
    .description('write all data about an account to a ZIP file')
    .argument('<account>', 'e-mail address or id')
    .requiredOption('--out <file>', 'target file (must not exist)')
    .action(async (named: string, { out }: { out: string }) => {
      await withAccounts(context, async (accounts) => {
        const { id } = await getAccount(accounts, named);
        await using file = await open(out, 'wx', 0o600).catch((cause: unknown) => {
          throw new CliError(`${out} cannot be written; choose a new file in an existing folder.`, { cause });
        });
        try {
          await file.writeFile(await accounts.exportData(id, operator));
        } catch (err) {
          // An incomplete archive would look like a complete one.
          await rm(out);
          throw err;
        }
      });
      context.print(`The data was written to ${out}.\n`);
    });
}

function readClaims(text: string): unknown {
  try {
    return parseJson(text);
  } catch (cause) {
    throw cause instanceof JsonTextError
      ? new CliError(`Standard input ${cause.message}.`, { cause })
      : cause;
  }
}

async function readPassword({ readInput }: CliContext): Promise<string> {
  const password = (await readInput()).replace(/\r?\n$/, '');
  if (password === '') throw new CliError('Standard input is empty; pass the password.');
  return password;
}

/** Returns the account with an e-mail address or id. @throws {CliError} */
export async function getAccount(accounts: Accounts, named: string): Promise<Account> {
  const account = await (named.includes('@') ? accounts.findByEmail(named) : accounts.find(named));
  if (!account) throw new CliError(`No account matches ${named}.`);
  return account;
}

async function* listAll(
  store: Pick<AccountStore, 'list'>,
  filter: { role?: Role; status?: AccountStatus },
): AsyncIterable<Account> {
  let afterEmail: string | undefined;
  do {
    const page = await store.list({ ...filter, afterEmail, limit: PAGE_SIZE });
    yield* page;
    afterEmail = page.length === PAGE_SIZE ? page.at(-1)?.email : undefined;
  } while (afterEmail !== undefined);
}

/** Describes an account with the number of its other ways to sign in. */
async function describeWithFactors(accounts: Accounts, named: string, json?: boolean): Promise<string> {
  const account = await getAccount(accounts, named);
  const { totp, passkeys, recoveryCodes } = await accounts.factorChanges.find(account.id);
  const identities = await accounts.listIdentities(account.id);
  const unused = countUnused(recoveryCodes);
  if (json)
    return toJson({
      ...accountToJson(account),
      has_authenticator_app: totp !== null,
      recovery_codes_left: unused,
      passkeys: passkeys.length,
      identities: identities.length,
    });
  return describeAccount(account, [
    ['password', account.passwordHash === null ? 'none' : 'set'],
    ['authenticator app', totp === null ? 'none' : `set up, ${unused} recovery codes left`],
    ['passkeys', String(passkeys.length)],
    ['identities', String(identities.length)],
  ]);
}

function print(context: CliContext, account: Account, json: boolean | undefined): void {
  context.print(json ? toJson(accountToJson(account)) : describeAccount(account));
}

function accountToJson(account: Account): Record<string, unknown> {
  return {
    account_id: account.id,
    email: account.email,
    email_verified: account.emailVerified,
    name: account.profile.name ?? null,
    profile: account.profile,
    role: account.role,
    status: account.status,
    has_password: account.passwordHash !== null,
    deletion_due_at: account.deletionDueAt,
    created_at: account.createdAt,
    updated_at: account.updatedAt,
  };
}

function describeAccount(
  { id, email, role, status, profile, deletionDueAt, createdAt }: Account,
  more: readonly (readonly [name: string, value: string])[] = [],
): string {
  return toList([
    ['account_id', id],
    ['email', email],
    ['name', profile.name ?? 'none'],
    ['role', role],
    ['status', status],
    ...(deletionDueAt ? [['deletion due', formatTime(deletionDueAt)] as const] : []),
    ['created', formatTime(createdAt)],
    ...more,
  ]);
}

function listAccounts(accounts: readonly Account[]): string {
  if (accounts.length === 0) return 'No accounts found; add one with `account add`.\n';
  return toTable(
    ['E-MAIL', 'NAME', 'ROLE', 'STATUS', 'CREATED', 'ACCOUNT ID'],
    accounts.map(({ id, email, profile, role, status, createdAt }) => [
      email,
      profile.name ?? '',
      role,
      status,
      formatTime(createdAt),
      id,
    ]),
  );
}
