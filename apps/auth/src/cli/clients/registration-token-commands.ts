import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { operator } from '../../audit/client-audit.ts';
import type { InitialAccessToken } from '../../clients/registration/initial-access-token-store.ts';
import { type CliContext, withInitialAccessTokens } from '../kit/context.ts';
import { parseDuration } from '../kit/duration.ts';
import { formatTime, toJson, toList, toTable } from '../kit/output.ts';

interface AddOptions {
  name: string;
  uses: number;
  expiresIn: number;
  json?: boolean;
}

const SEVEN_DAYS_SECONDS = 604_800;

/** Adds the commands `registration-token …`, which manage initial access tokens (RFC 7591). */
export function addRegistrationTokenCommands(group: Command, context: CliContext): void {
  addAdd(group, context);

  group
    .command('list')
    .description('list unexpired tokens')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const stored = await withInitialAccessTokens(context, ({ tokens }) => tokens.list());
      context.print(json ? toJson(stored.map(tokenToJson)) : listTokens(stored));
    });

  group
    .command('revoke')
    .description('revoke a token; clients registered with it stay')
    .argument('<id>')
    .option('--json', 'print JSON')
    .action(async (id: string, { json }: { json?: boolean }) => {
      await withInitialAccessTokens(context, async ({ tokens, audit }) => {
        await tokens.revoke(id);
        await audit.record({
          ...operator,
          type: 'registration_token.revoked',
          at: new Date(),
          clientId: null,
          details: { id },
        });
      });
      context.print(json ? toJson({ id, revoked: true }) : `Token ${id} was revoked.\n`);
    });
}

function addAdd(group: Command, context: CliContext): void {
  group
    .command('add')
    .description('create a token and print it once')
    .requiredOption('--name <name>', 'name of the recipient')
    .option('--uses <number>', 'number of clients it can register', toWhole, 1)
    .option('--expires-in <duration>', 'lifetime, such as 24h or 7d', parseDuration, SEVEN_DAYS_SECONDS)
    .option('--json', 'print JSON')
    .action(async ({ name, uses, expiresIn, json }: AddOptions) => {
      const { stored, token } = await withInitialAccessTokens(context, async ({ tokens, audit }) => {
        const added = await tokens.add({ name, uses, lifeSeconds: expiresIn });
        const details = { id: added.stored.id, uses: String(uses) };
        await audit.record({
          ...operator,
          type: 'registration_token.added',
          at: new Date(),
          clientId: null,
          details,
        });
        return added;
      });
      context.print(json ? toJson({ token, ...tokenToJson(stored) }) : describe(stored, token));
    });
}

function toWhole(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('Use a whole number.');
  return Number(text);
}

function tokenToJson({ id, name, usesLeft, createdAt, expiresAt }: InitialAccessToken) {
  return { id, name, uses_left: usesLeft, created_at: createdAt, expires_at: expiresAt };
}

function describe({ id, name, usesLeft, expiresAt }: InitialAccessToken, token: string): string {
  const list = toList([
    ['token', token],
    ['id', id],
    ['name', name],
    ['uses left', String(usesLeft)],
    ['expires', formatTime(expiresAt)],
  ]);
  return `${list}\nStore the token now: it cannot be shown again.\n`;
}

function listTokens(tokens: readonly InitialAccessToken[]): string {
  if (tokens.length === 0) return 'No tokens found; create one with `registration-token add`.\n';
  return toTable(
    ['ID', 'NAME', 'USES LEFT', 'EXPIRES'],
    tokens.map(({ id, name, usesLeft, expiresAt }) => [id, name, String(usesLeft), formatTime(expiresAt)]),
  );
}
