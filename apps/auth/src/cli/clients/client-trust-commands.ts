import type { Command } from 'commander';
import type { Client } from '../../clients/client.ts';
import type { Clients } from '../../clients/clients.ts';
import { type Role, roles } from '../../values/scopes.ts';
import { type CliContext, withTrust } from '../kit/context.ts';
import { toJson } from '../kit/output.ts';
import { mailOwners } from './application-commands.ts';

const noRole = 'none';

/** Adds the commands that verify a client and set the role of a machine client. */
export function addTrustCommands(group: Command, context: CliContext): void {
  const print = (client: Client, said: string, json: boolean | undefined) => {
    const answer = { client_id: client.id, verified: client.isVerified, role: client.role };
    context.print(json ? toJson(answer) : `Client ${client.id} (${client.name}) ${said}.\n`);
  };

  for (const [verb, isVerified, description] of [
    [
      'verify',
      true,
      'verify a client: it can have every scope, and users consent once for all their devices',
    ],
    ['unverify', false, 'revoke the verification of a client'],
  ] as const) {
    group
      .command(verb)
      .description(description)
      .argument('<client-id>')
      .option('--json', 'print JSON')
      .action(async (id: string, { json }: { json?: boolean }) => {
        const client = await change(context, (clients) => clients.setVerified(id, isVerified));
        print(client, isVerified ? 'is verified' : 'is no longer verified', json);
      });
  }

  group
    .command('set-role')
    .description('set the role of a machine client; takes effect with its next token')
    .argument('<client-id>')
    .addArgument(group.createArgument('<role>').choices([...roles, noRole]))
    .option('--json', 'print JSON')
    .action(async (id: string, name: Role | typeof noRole, { json }: { json?: boolean }) => {
      const role = name === noRole ? null : name;
      const client = await change(context, (clients) => clients.setRole(id, role));
      print(client, role === null ? 'no longer has a role' : `has the role ${role}`, json);
    });
}

/** Changes a client and notifies its owners if the change approved a request. */
async function change(context: CliContext, act: (clients: Clients) => Promise<Client>): Promise<Client> {
  return withTrust(context, async ({ clients, mails }) => {
    const client = await act(clients);
    await mailOwners(mails, client);
    return client;
  });
}
