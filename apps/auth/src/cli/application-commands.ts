import type { Command } from 'commander';
import type { Client, TrustRequest } from '../clients/client.ts';
import type { Clients, PendingTrustRequest } from '../clients/clients.ts';
import type { TrustMails } from '../clients/trust-mails.ts';
import { justClosedOf, type TrustDecision } from '../clients/trust-request.ts';
import { type CliContext, withClients, withTrust } from './context.ts';
import { toJson, toReadable, toTable } from './output.ts';
import { addOwnerCommands } from './owner-commands.ts';

/** `application …`: requests of developers for a role or for verification, and their co-owners. */
export function addApplicationCommands(program: Command, context: CliContext): void {
  const noun = program
    .command('application')
    .description('applications of developers: requests for a role or for verification, and owners');
  addOwnerCommands(noun, context);

  noun
    .command('list')
    .description('list the last request of each kind and application')
    .option('--pending', 'only requests that are not decided')
    .option('--json', 'print JSON')
    .action(async ({ pending, json }: { pending?: boolean; json?: boolean }) => {
      const listed = await withClients(context, (clients) =>
        Array.fromAsync(pending ? clients.listPendingRequests() : listRequests(clients)),
      );
      context.print(json ? toJson(listed.map(requestToJson)) : describeRequests(listed));
    });

  noun
    .command('approve')
    .description('grant what a request names, and mail its developer')
    .argument('<request-id>')
    .option('--json', 'print JSON')
    .action((id: string, { json }: { json?: boolean }) => decide(context, id, { status: 'approved' }, json));

  noun
    .command('reject')
    .description('reject a request, and mail its developer the reason')
    .argument('<request-id>')
    .requiredOption('--reason <text>', 'reason in one line, which the developer reads')
    .option('--json', 'print JSON')
    .action((id: string, { reason, json }: { reason: string; json?: boolean }) =>
      decide(context, id, { status: 'rejected', reason }, json),
    );
}

async function decide(
  context: CliContext,
  id: string,
  decision: TrustDecision,
  json: boolean | undefined,
): Promise<void> {
  const { client, mailed } = await withTrust(context, async ({ clients, mails }) => {
    const decided = await clients.decideTrustRequest(id, decision);
    return { client: decided, mailed: await mailOwners(mails, decided) };
  });
  for (const request of justClosedOf(client)) {
    const answer = { ...requestToJson({ client, request }), mailed };
    const said = `Request ${id} of ${client.id} (${client.name}) is ${request.status}.\n`;
    context.print(json ? toJson(answer) : said + describeMail(mailed));
  }
}

/** Mails the owners of a client whose change is stored; a mail server that fails does not undo it. */
export async function mailOwners(mails: TrustMails, client: Client): Promise<boolean> {
  return mails.mailOwners(client).catch(() => false);
}

function describeMail(mailed: boolean): string {
  return mailed ? '' : 'No mail was sent to its developer.\n';
}

async function* listRequests(clients: Clients): AsyncIterable<PendingTrustRequest> {
  for await (const client of clients.list())
    for (const request of Object.values(client.trustRequests)) if (request) yield { client, request };
}

function requestToJson({ client, request }: { client: Client; request: TrustRequest }) {
  return {
    id: request.id,
    kind: request.kind,
    ...(request.role && { role: request.role }),
    status: request.status,
    reason: request.reason,
    ...(request.decisionReason && { decision_reason: request.decisionReason }),
    client_id: client.id,
    name: client.name,
    type: client.type,
    owner: client.owner,
    home_page: client.homePage,
    redirect_uris: client.redirectUris,
    created_at: request.createdAt,
    closed_at: request.closedAt,
  };
}

function describeRequests(listed: readonly PendingTrustRequest[]): string {
  if (listed.length === 0) return 'There are no requests.\n';
  return toTable(
    ['REQUEST', 'KIND', 'STATUS', 'REQUESTED', 'CLIENT ID', 'NAME', 'REASON'],
    listed.map(({ client, request: { id, kind, role, status, createdAt, reason } }) => [
      id,
      role ? `${kind} ${role}` : kind,
      status,
      toReadable(createdAt),
      client.id,
      client.name,
      reason,
    ]),
  );
}
