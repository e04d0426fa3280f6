import type { Command } from 'commander';
import type { Client, TrustRequest } from '../../clients/client.ts';
import type { Clients } from '../../clients/clients.ts';
import type { PendingTrustRequest } from '../../clients/trust/trust-changes.ts';
import type { TrustMails } from '../../clients/trust/trust-mails.ts';
import { listJustClosed, type TrustDecision } from '../../clients/trust/trust-request.ts';
import { type CliContext, withClients, withTrust } from '../kit/context.ts';
import { formatTime, toJson, toTable } from '../kit/output.ts';
import { addOwnerCommands } from './owner-commands.ts';

/** Adds the commands `application …`. */
export function addApplicationCommands(group: Command, context: CliContext): void {
  addOwnerCommands(group, context);

  group
    .command('list')
    .description('list the latest request of each kind per application')
    .option('--pending', 'list only undecided requests')
    .option('--json', 'print JSON')
    .action(async ({ pending, json }: { pending?: boolean; json?: boolean }) => {
      const listed = await withClients(context, (clients) =>
        Array.fromAsync(pending ? clients.listPendingRequests() : listRequests(clients)),
      );
      context.print(json ? toJson(listed.map(requestToJson)) : describeRequests(listed));
    });

  group
    .command('approve')
    .description('approve a request and notify the developer by mail')
    .argument('<request-id>')
    .option('--json', 'print JSON')
    .action((id: string, { json }: { json?: boolean }) => decide(context, id, { status: 'approved' }, json));

  group
    .command('reject')
    .description('reject a request and mail the reason to the developer')
    .argument('<request-id>')
    .requiredOption('--reason <text>', 'reason for the developer, on one line')
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
  for (const request of listJustClosed(client)) {
    const answer = { ...requestToJson({ client, request }), mailed };
    const message = `Request ${id} of ${client.id} (${client.name}) is ${request.status}.\n`;
    context.print(json ? toJson(answer) : message + describeMail(mailed));
  }
}

/** Notifies the owners of a changed client. Resolves with `false` if the mail fails; the change stays. */
export async function mailOwners(mails: TrustMails, client: Client): Promise<boolean> {
  return mails.mailOwners(client).catch(() => false);
}

function describeMail(mailed: boolean): string {
  return mailed ? '' : 'The mail to the developer could not be sent.\n';
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
  if (listed.length === 0) return 'No requests found.\n';
  return toTable(
    ['REQUEST', 'KIND', 'STATUS', 'REQUESTED', 'CLIENT ID', 'NAME', 'REASON'],
    listed.map(({ client, request: { id, kind, role, status, createdAt, reason } }) => [
      id,
      role ? `${kind} ${role}` : kind,
      status,
      formatTime(createdAt),
      client.id,
      client.name,
      reason,
    ]),
  );
}
