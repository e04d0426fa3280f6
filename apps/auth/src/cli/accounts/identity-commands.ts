import type { Command } from 'commander';
import type { Accounts } from '../../accounts/accounts.ts';
import type { Identity } from '../../accounts/identities/identities.ts';
import { type CliContext, CliError, withAccounts } from '../kit/context.ts';
import { formatTime, toJson, toTable } from '../kit/output.ts';
import { getAccount, operator } from './account-commands.ts';

interface UnlinkOptions {
  force?: boolean;
  json?: boolean;
}

/** Adds the commands of `account` about identities at other providers. */
export function addIdentityCommands(group: Command, context: CliContext): void {
  group
    .command('identities')
    .description('list the identities at other providers with which the user signs in')
    .argument('<account>', 'e-mail address or id')
    .option('--json', 'print JSON')
    .action((named: string, { json }: { json?: boolean }) =>
      withAccounts(context, async (accounts) => {
        const { id } = await getAccount(accounts, named);
        const identities = await accounts.listIdentities(id);
        context.print(json ? toJson(identities.map(identityToJson)) : listIdentities(identities));
      }),
    );

  group
    .command('unlink')
    .description('unlink an identity at another provider; its sessions stay (see session end)')
    .argument('<account>', 'e-mail address or id')
    .argument('<identity-id>', 'id of the identity (see account identities)')
    .option('--force', 'unlink it even if it is the only way to sign in')
    .option('--json', 'print JSON')
    .action((named: string, identityId: string, options: UnlinkOptions) =>
      withAccounts(context, (accounts) => unlink(context, accounts, { named, identityId, ...options })),
    );
}

async function unlink(
  context: CliContext,
  accounts: Accounts,
  { named, identityId, force: isForced, json }: UnlinkOptions & { named: string; identityId: string },
): Promise<void> {
  const { id: accountId, email } = await getAccount(accounts, named);
  const identity = (await accounts.listIdentities(accountId)).find(({ id }) => id === identityId);
  if (!identity) throw new CliError(`The account has no identity ${identityId}; see account identities.`);
  const link = { accountId, identityId, isForced: isForced === true };
  if ((await accounts.unlinkIdentity(link, operator)) === 'last')
    throw new CliError(
      'The identity is the only way to sign in; pass --force to unlink it. A mailed link can then set a password.',
    );
  const text = `The identity at ${identity.providerId} was unlinked from ${email}.\n`;
  context.print(json ? toJson(identityToJson(identity)) : text);
}

function identityToJson({ id, providerId, issuer, subject, label, linkedAt, lastUsedAt }: Identity) {
  return {
    identity_id: id,
    provider: providerId,
    issuer,
    subject,
    label,
    linked_at: linkedAt,
    last_used_at: lastUsedAt,
  };
}

function listIdentities(identities: readonly Identity[]): string {
  if (identities.length === 0) return 'No identities found.\n';
  return toTable(
    ['IDENTITY ID', 'PROVIDER', 'LABEL', 'SUBJECT', 'LINKED', 'LAST USED'],
    identities.map(({ id, providerId, label, subject, linkedAt, lastUsedAt }) => [
      id,
      providerId,
      label ?? '',
      subject,
      formatTime(linkedAt),
      formatTime(lastUsedAt),
    ]),
  );
}
