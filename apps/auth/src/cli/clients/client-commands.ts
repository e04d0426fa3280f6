import { type Command, Option } from 'commander';
import type { ClientType } from '../../clients/client.ts';
import {
  type Client,
  type ClientAuthMethod,
  type ClientSecret,
  clientAuthMethods,
  clientTypes,
} from '../../clients/client.ts';
import type { ClientRequest } from '../../clients/client-rules.ts';
import type { ClientWithSecret } from '../../clients/clients.ts';
import { type Role, roles } from '../../values/scopes.ts';
import { type CliContext, withClients } from '../kit/context.ts';
import { parseDuration } from '../kit/duration.ts';
import { formatTime, toJson, toList, toTable } from '../kit/output.ts';
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

interface AddOptions extends SecurityOptions, EditableOptions {
  type: ClientType;
  name: string;
  role?: Role;
  authMethod?: ClientAuthMethod;
  json?: boolean;
}

/** Adds the commands `client …`. */
export function addClientCommands(group: Command, context: CliContext): void {
  addEditableOptions(addSecurityOptions(group.command('add')))
    .description('register a client and print its secret once')
    .addOption(new Option('--type <type>', 'client type').choices(clientTypes).default('machine'))
    .requiredOption('--name <name>', 'display name')
    .addOption(new Option('--role <role>', 'role in the API (default: none, no access)').choices(roles))
    .addOption(
      new Option('--auth-method <method>', 'client authentication method').choices(clientAuthMethods),
    )
    .option('--json', 'print JSON')
    .action(async (options: AddOptions) => {
      const added = await withClients(context, (clients) => clients.add(toRequest(options)));
      context.print(options.json ? toJson(withSecretToJson(added)) : describeWithSecret(added));
    });

  group
    .command('list')
    .description('list all clients')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const all = await withClients(context, (clients) => Array.fromAsync(clients.list()));
      context.print(json ? toJson(all.map(clientToJson)) : listClients(all));
    });

  group
    .command('show')
    .description('show one client')
    .argument('<client-id>')
    .option('--json', 'print JSON')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const client = await withClients(context, (clients) => clients.get(id));
      context.print(json ? toJson(clientToJson(client)) : describeClient(client));
    });

  addChangeCommands(group, context);
}

function toRequest(options: AddOptions): ClientRequest {
  const { type, name, role, authMethod } = options;
  return { type, name, role, authMethod, scopes: [], ...toEdit(options), security: toSecurity(options) };
}

function addChangeCommands(group: Command, context: CliContext): void {
  addEditCommand(group, context, (client, json) =>
    context.print(json ? toJson(clientToJson(client)) : describeClient(client)),
  );
  addProfileCommand(group, context);
  addLogoCommand(group, context);
  addTrustCommands(group, context);

  group
    .command('rotate-secret')
    .description('create a new secret; the old one stays valid for a while')
    .argument('<client-id>')
    .option(
      '--overlap <duration>',
      'validity of the old secret, such as 90s, 15m, 24h, 7d or 0',
      parseDuration,
      86_400,
    )
    .option('--json', 'print JSON')
    .action(async (id: string, { overlap, json }: { overlap: number; json?: boolean }) => {
      const rotated = await withClients(context, (clients) => clients.rotateSecret(id, overlap));
      context.print(json ? toJson(withSecretToJson(rotated)) : describeWithSecret(rotated));
    });

  for (const [verb, status, description] of [
    ['disable', 'disabled', 'stop issuing tokens to a client'],
    ['enable', 'active', 'issue tokens to a disabled client again'],
  ] as const) {
    group
      .command(verb)
      .description(description)
      .argument('<client-id>')
      .option('--json', 'print JSON')
      .action(async (id: string, { json }: { json?: boolean }) => {
        const client = await withClients(context, (clients) => clients.setStatus(id, status));
        context.print(json ? toJson(clientToJson(client)) : `Client ${id} (${client.name}) is ${status}.\n`);
      });
  }

  group
    .command('remove')
    .description('delete a client permanently')
    .argument('<client-id>')
    .option('--json', 'print JSON')
    .action(async (id: string, { json }: { json?: boolean }) => {
      await withClients(context, (clients) => clients.remove(id));
      context.print(json ? toJson({ client_id: id, removed: true }) : `Client ${id} was removed.\n`);
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
    ['created', formatTime(createdAt)],
  ]);
}

function describeSecret({ hint, createdAt, lastUsedAt, expiresAt }: ClientSecret): string {
  return `…${hint}, created ${formatTime(createdAt)}, last used ${formatTime(lastUsedAt)}, expires ${formatTime(expiresAt)}`;
}

function describeWithSecret({ client, secret }: ClientWithSecret): string {
  if (secret === null) return describeClient(client);
  return `${describeClient(client, secret)}\nStore the secret now: it cannot be shown again.\n`;
}

function listClients(clients: readonly Client[]): string {
  if (clients.length === 0) return 'No clients found; register one with `client add`.\n';
  return toTable(
    ['CLIENT ID', 'NAME', 'TYPE', 'STATUS', 'ROLE', 'LAST USED', 'SCOPE'],
    clients.map((client) => [
      client.id,
      client.name,
      client.type,
      client.status,
      client.role ?? 'none',
      formatTime(findLastUse(client)),
      client.scopes.join(' ') || 'none',
    ]),
  );
}

function findLastUse({ secrets }: Client): Date | undefined {
  const uses = secrets.map(({ lastUsedAt }) => lastUsedAt?.getTime() ?? 0);
  const last = Math.max(0, ...uses);
  return last === 0 ? undefined : new Date(last);
}
