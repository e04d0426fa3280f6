import type { Command } from 'commander';
import type { Account } from '../../accounts/account/account.ts';
import type { Accounts } from '../../accounts/accounts.ts';
import { applicationTypes, type Client } from '../../clients/client.ts';
import type { Clients } from '../../clients/clients.ts';
import { isPending } from '../../clients/owners/co-ownership.ts';
import type { AccountServices } from '../../composition/accounts.ts';
import { getAccount } from '../accounts/account-commands.ts';
import { type CliContext, CliError, withOwners } from '../kit/context.ts';
import { formatTime, toJson, toTable } from '../kit/output.ts';

interface Parts {
  clients: Clients;
  accounts: Accounts;
  accountServices: Pick<AccountServices, 'ownerMails' | 'background'>;
}

type Change = (parts: Parts, client: Client, account: Account) => Promise<Client>;

/** Adds the commands of `application` that manage owners. */
export function addOwnerCommands(group: Command, context: CliContext): void {
  group
    .command('owners')
    .description('list the owner, co-owners and pending invitations of an application')
    .argument('<client-id>')
    .option('--json', 'print JSON')
    .action((id: string, { json }: { json?: boolean }) =>
      withOwners(context, async (parts) => print(context, parts, await parts.clients.get(id), json)),
    );

  const changing = (verb: string, description: string, change: Change) =>
    group
      .command(verb)
      .description(description)
      .argument('<client-id>')
      .argument('<account>', 'e-mail address or id')
      .option('--json', 'print JSON')
      .action((id: string, named: string, { json }: { json?: boolean }) =>
        withOwners(context, async (parts) => {
          const client = requireApplication(await parts.clients.get(id));
          const account = await getAccount(parts.accounts, named);
          await print(context, parts, await change(parts, client, account), json);
        }),
      );

  changing('set-owner', 'change the owner; an active former owner becomes a co-owner', setOwner);
  changing('add-co-owner', 'add a co-owner to an application', addCoOwner);
  changing('remove-co-owner', 'remove a co-owner from an application', removeCoOwner);
}

/** Changes the owner. The limit of applications per owner does not apply to operators. */
async function setOwner(
  { clients, accounts, accountServices }: Parts,
  { id, owner }: Client,
  account: Account,
) {
  const former = owner === null ? undefined : await accounts.find(owner);
  const formerStays = former?.status === 'active';
  const { client } = await clients.changeOwner(id, requireActive(account), { formerStays });
  accountServices.background.run(() => accountServices.ownerMails.mailHandedOver(client));
  return client;
}

async function addCoOwner({ clients, accountServices }: Parts, { id }: Client, account: Account) {
  const client = await clients.addCoOwner(id, requireActive(account));
  accountServices.background.run(() => accountServices.ownerMails.mailJoined(client, account.id));
  return client;
}

async function removeCoOwner({ clients, accountServices }: Parts, { id }: Client, account: Account) {
  const client = await clients.removeCoOwner(id, account.id);
  accountServices.background.run(() => accountServices.ownerMails.mailRemoved(client, account.id));
  return client;
}

function requireApplication(client: Client): Client {
  const { id, type, owner } = client;
  if (!applicationTypes.some((each) => each === type))
    throw new CliError(`Client ${id} has the type ${type}; only ${applicationTypes.join(', ')} have owners.`);
  if (owner?.startsWith('registration:'))
    throw new CliError(`Client ${id} was registered dynamically and has no owners; use client commands.`);
  return client;
}

/** Rejects accounts that cannot sign in to the developer portal. */
function requireActive({ id, email, status, emailVerified }: Account): string {
  if (status !== 'active' || !emailVerified)
    throw new CliError(
      `The account ${email} is disabled or has an unverified address; choose another account.`,
    );
  return id;
}

async function print(
  context: CliContext,
  { accounts }: Parts,
  client: Client,
  json: boolean | undefined,
): Promise<void> {
  const now = new Date();
  const owner = client.owner === null ? null : await describe(accounts, client.owner);
  const coOwners = await Promise.all(
    client.coOwners.map(async ({ accountId, since }) => ({
      ...(await describe(accounts, accountId)),
      since,
    })),
  );
  const invitations = client.invitations.filter((each) => isPending(each, now));
  const answer = {
    client_id: client.id,
    name: client.name,
    owner,
    co_owners: coOwners,
    invitations: invitations.map(({ id, email, invitedBy, expiresAt }) => ({
      id,
      email,
      invited_by: invitedBy,
      expires_at: expiresAt,
    })),
  };
  if (json) return context.print(toJson(answer));
  const rows = [
    ['owner', owner?.email ?? owner?.account_id ?? 'the operator', '', owner?.account_id ?? ''],
    ...coOwners.map(({ email, account_id, since }) => [
      'co-owner',
      email ?? '',
      `since ${formatTime(since)}`,
      account_id,
    ]),
    ...invitations.map(({ email, expiresAt }) => [
      'invited',
      email ?? '',
      `until ${formatTime(expiresAt)}`,
      '',
    ]),
  ];
  context.print(toTable(['ROLE', 'E-MAIL', 'TIME', 'ACCOUNT ID'], rows));
}

async function describe(accounts: Accounts, id: string) {
  const account = await accounts.find(id);
  return { account_id: id, email: account?.email ?? null, name: account?.profile.name ?? null };
}
