import type { Command } from 'commander';
import { type Client, type Role, roles } from '../clients/client.ts';
import type { Clients } from '../clients/clients.ts';
import { mailOwners } from './application-commands.ts';
import { type CliContext, withTrust } from './context.ts';
import { toJson } from './output.ts';

const noRole = 'none';

/** What an administrator grants an application: verification, and a machine its role. */
export function addTrustCommands(noun: Command, context: CliContext): void {
  const print = (client: Client, said: string, json: boolean | undefined) => {
    const answer = { client_id: client.id, verified: client.isVerified, role: client.role };
    context.print(json ? toJson(answer) : `Client ${client.id} (${client.name}) ${said}.\n`);
  };

  for (const [verb, isVerified, description] of [
    [
      'verify',
      true,
      'vouch for a client: it may have every scope, and people allow it once for all their devices',
    ],
    ['unverify', false, 'vouch for a client no longer'],
  ] as const) {
    noun
      .command(verb)
      .description(description)
      .argument('<client-id>')
      .option('--json', 'print JSON')
      .action(async (id: string, { json }: { json?: boolean }) => {
        const client = await change(context, (clients) => clients.setVerified(id, isVerified));
        print(client, isVerified ? 'is verified' : 'is not verified any more', json);
      });
  }

  noun
    .command('set-role')
    .description('let a machine client act in a role, from its next token on')
    .argument('<client-id>')
    .addArgument(noun.createArgument('<role>').choices([...roles, noRole]))
    .option('--json', 'print JSON')
    .action(async (id: string, name: Role | typeof noRole, { json }: { json?: boolean }) => {
      const role = name === noRole ? null : name;
      const client = await change(context, (clients) => clients.setRole(id, role));
      print(client, role === null ? 'has no role any more' : `acts as ${role}`, json);
    });
}

/** Changes a client, and mails its owners when that approved a request. */
async function change(context: CliContext, act: (clients: Clients) => Promise<Client>): Promise<Client> {
  return withTrust(context, async ({ clients, mails }) => {
    const client = await act(clients);
    await mailOwners(mails, client);
    return client;
  });
}
