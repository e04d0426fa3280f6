import { type Command, Option } from 'commander';
import type { ClientType } from '../clients/client.ts';
import {
  type Client,
  type ClientAuthMethod,
  type ClientSecret,
  clientAuthMethods,
  clientTypes,
  type Role,
  roles,
} from '../clients/client.ts';
import type { ClientRequest } from '../clients/client-rules.ts';
import type { ClientWithSecret } from '../clients/clients.ts';
import { addEditableOptions, addEditCommand, type EditableOptions, toEdit } from './client-edit-command.ts';
import { addLogoCommand } from './client-logo-command.ts';
import {
  addProfileCommand,
  addSecurityOptions,
  type SecurityOptions,
  securityToJson,
  toSecurity,
} from './client-security-commands.ts';
import { addTrustCommands } from './client-trust-commands.ts';
import { type CliContext, withClients } from './context.ts';
import { parseDuration } from './duration.ts';
import { toJson, toList, toReadable, toTable } from './output.ts';

interface AddOptions extends SecurityOptions, EditableOptions {
  type: ClientType;
  name: string;
  role?: Role;
  authMethod?: ClientAuthMethod;
  json?: boolean;
}

/** `client …`: the OAuth clients that may ask for tokens. */
export function addClientCommands(program: Command, context: CliContext): void {
  const noun = program.command('client').description('OAuth clients, which ask the server for tokens');

  addEditableOptions(addSecurityOptions(noun.command('add')))
    .description('register a client and show its secret, this once')
    .addOption(
      new Option('--type <type>', 'what kind of program it is').choices(clientTypes).default('machine'),
    )
    .requiredOption('--name <name>', 'a name that people recognise it by')
    .addOption(new Option('--role <role>', 'what it may do in the API; without one, nothing').choices(roles))
    .addOption(new Option('--auth-method <method>', 'how it proves who it is').choices(clientAuthMethods))
    .option('--json', 'print JSON')
    .action(async (options: AddOptions) => {
      const added = await withClients(context, (clients) => clients.add(toRequest(options)));
      context.print(options.json ? toJson(withSecretToJson(added)) : describeWithSecret(added));
    });

  noun
    .command('list')
    .description('list all clients')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const all = await withClients(context, (clients) => Array.fromAsync(clients.list()));
      context.print(json ? toJson(all.map(clientToJson)) : listClients(all));
    });

  noun
    .command('show')
    .description('show one client')
    .argument('<client-id>')
    .option('--json', 'print JSON')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const client = await withClients(context, (clients) => clients.get(id));
      context.print(json ? toJson(clientToJson(client)) : describeClient(client));
    });

  addChangeCommands(noun, context);
}

function toRequest(options: AddOptions): ClientRequest {
  const { type, name, role, authMethod } = options;
  return { type, name, role, authMethod, scopes: [], ...toEdit(options), security: toSecurity(options) };
}

function addChangeCommands(noun: Command, context: CliContext): void {
  addEditCommand(noun, context, (client, json) =>
    context.print(json ? toJson(clientToJson(client)) : describeClient(client)),
  );
  addProfileCommand(noun, context);
  addLogoCommand(noun, context);
  addTrustCommands(noun, context);

  noun
    .command('rotate-secret')
    .description('give a client a new secret; the old one works on for a while')
    .argument('<client-id>')
    .option(
      '--overlap <duration>',
      'how long the old secret works on, like 90s, 15m, 24h, 7d or 0',
      parseDuration,
      86_400,
    )
    .option('--json', 'print JSON')
    .action(async (id: string, { overlap, json }: { overlap: number; json?: boolean }) => {
      const rotated = await withClients(context, (clients) => clients.rotateSecret(id, overlap));
      context.print(json ? toJson(withSecretToJson(rotated)) : describeWithSecret(rotated));
    });

  for (const [verb, status, description] of [
    ['disable', 'disabled', 'give a client no more tokens'],
    ['enable', 'active', 'give a disabled client tokens again'],
  ] as const) {
    noun
      .command(verb)
      .description(description)
      .argument('<client-id>')
      .option('--json', 'print JSON')
      .action(async (id: string, { json }: { json?: boolean }) => {
        const client = await withClients(context, (clients) => clients.setStatus(id, status));
        context.print(json ? toJson(clientToJson(client)) : `Client ${id} (${client.name}) is ${status}.\n`);
      });
  }

  noun
    .command('remove')
    .description('remove a client for good')
    .argument('<client-id>')
    .option('--json', 'print JSON')
    .action(async (id: string, { json }: { json?: boolean }) => {
      await withClients(context, (clients) => clients.remove(id));
      context.print(json ? toJson({ client_id: id, removed: true }) : `Client ${id} is removed.\n`);
    });
}

function clientToJson(client: Client): Record<string, unknown> {
  return {
    client_id: client.id,
    name: client.name,
    home_page: client.homePage,
    policy_uri: client.policyUri,
    tos_uri: client.tosUri,
    logo: client.logoDigest,
    type: client.type,
    owner: client.owner,
    co_owners: client.coOwners.map(({ accountId }) => accountId),
    verified: client.isVerified,
    status: client.status,
    scope: client.scopes.join(' '),
    role: client.role,
    grant_types: client.grantTypes,
    redirect_uris: client.redirectUris,
    post_logout_redirect_uris: client.postLogoutRedirectUris,
    ...(client.backchannelLogoutUri && { backchannel_logout_uri: client.backchannelLogoutUri }),
    ...(client.initiateLoginUri && { initiate_login_uri: client.initiateLoginUri }),
    auth_method: client.authMethod,
    ...securityToJson(client),
    ...(client.jwks && { jwks: client.jwks }),
    secrets: client.secrets.map(({ id, hint, createdAt, lastUsedAt, expiresAt }) => ({
      id,
      hint,
      created_at: createdAt,
      last_used_at: lastUsedAt,
      expires_at: expiresAt,
    })),
    created_at: client.createdAt,
    updated_at: client.updatedAt,
  };
}

function withSecretToJson({ client, secret }: ClientWithSecret): Record<string, unknown> {
  const { client_id, ...rest } = clientToJson(client);
  return { client_id, ...(secret !== null && { client_secret: secret }), ...rest };
}

function describeClient(client: Client, secret?: string): string {
  const { createdAt, role, scopes, secrets } = client;
  return toList([
    ['client_id', client.id],
    ...(secret === undefined ? [] : [['client_secret', secret] as const]),
    ['name', client.name],
    ['type', client.type],
    ['verified', client.isVerified ? 'yes' : 'no'],
    ...(client.owner === null ? [] : [['owner', client.owner] as const]),
    ...client.coOwners.map(({ accountId }) => ['co-owner', accountId] as const),
    ...(client.homePage === null ? [] : [['home page', client.homePage] as const]),
    ...(client.policyUri === null ? [] : [['privacy policy', client.policyUri] as const]),
    ...(client.tosUri === null ? [] : [['terms of service', client.tosUri] as const]),
    ...(client.logoDigest === null ? [] : [['logo', client.logoDigest] as const]),
    ['status', client.status],
    ['scope', scopes.join(' ') || 'none'],
    ['role', role ?? 'none'],
    ['auth method', client.authMethod],
    ...(client.security.profile ? [['profile', client.security.profile] as const] : []),
    ...(client.security.isPkceOptional ? [['PKCE', 'optional, with a nonce'] as const] : []),
    ...client.redirectUris.map((uri) => ['redirect URI', uri] as const),
    ...(client.initiateLoginUri === null ? [] : [['sign-in starts at', client.initiateLoginUri] as const]),
    ...secrets.map((each) => ['secret', describeSecret(each)] as const),
    ['created', toReadable(createdAt)],
  ]);
}

function describeSecret({ hint, createdAt, lastUsedAt, expiresAt }: ClientSecret): string {
  return `…${hint}, created ${toReadable(createdAt)}, last used ${toReadable(lastUsedAt)}, expires ${toReadable(expiresAt)}`;
}

function describeWithSecret({ client, secret }: ClientWithSecret): string {
  if (secret === null) return describeClient(client);
  return `${describeClient(client, secret)}\nThe secret is shown this once: only a digest of it is stored.\n`;
}

function listClients(clients: readonly Client[]): string {
  if (clients.length === 0) return 'There are no clients yet: register one with `client add`.\n';
  return toTable(
    ['CLIENT ID', 'NAME', 'TYPE', 'STATUS', 'ROLE', 'LAST USED', 'SCOPE'],
    clients.map((client) => [
      client.id,
      client.name,
      client.type,
      client.status,
      client.role ?? 'none',
      toReadable(lastUseOf(client)),
      client.scopes.join(' ') || 'none',
    ]),
  );
}

function lastUseOf({ secrets }: Client): Date | undefined {
  const uses = secrets.map(({ lastUsedAt }) => lastUsedAt?.getTime() ?? 0);
  const last = Math.max(0, ...uses);
  return last === 0 ? undefined : new Date(last);
}
