import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { operator } from '../audit/client-audit.ts';
import type { InitialAccessToken } from '../registrations/initial-access-token.ts';
import { type CliContext, withInitialAccessTokens } from './context.ts';
import { parseDuration } from './duration.ts';
import { toJson, toList, toReadable, toTable } from './output.ts';

interface AddOptions {
  name: string;
  uses: number;
  expiresIn: number;
  json?: boolean;
}

const SEVEN_DAYS_SECONDS = 604_800;

/** `registration-token …`: what programs need to register clients by themselves (RFC 7591). */
export function addRegistrationTokenCommands(program: Command, context: CliContext): void {
  const noun = program
    .command('registration-token')
    .description('initial access tokens, by which programs register clients');
  addAdd(noun, context);

  noun
    .command('list')
    .description('list the tokens that have not expired')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const stored = await withInitialAccessTokens(context, ({ tokens }) => tokens.list());
      context.print(json ? toJson(stored.map(tokenToJson)) : listTokens(stored));
    });

  noun
    .command('revoke')
    .description('let a token register nothing more; what it registered stays')
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
      context.print(json ? toJson({ id, revoked: true }) : `Token ${id} is revoked.\n`);
    });
}

function addAdd(noun: Command, context: CliContext): void {
  noun
    .command('add')
    .description('make a token and show it, this once')
    .requiredOption('--name <name>', 'whom it is for')
    .option('--uses <number>', 'how many clients it may register', toWhole, 1)
    .option('--expires-in <duration>', 'how long it works, like 24h or 7d', parseDuration, SEVEN_DAYS_SECONDS)
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
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
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
    ['expires', toReadable(expiresAt)],
  ]);
  return `${list}\nThe token is shown this once: only a digest of it is stored.\n`;
}

function listTokens(tokens: readonly InitialAccessToken[]): string {
  if (tokens.length === 0) return 'There are no tokens: make one with `registration-token add`.\n';
  return toTable(
    ['ID', 'NAME', 'USES LEFT', 'EXPIRES'],
    tokens.map(({ id, name, usesLeft, expiresAt }) => [id, name, String(usesLeft), toReadable(expiresAt)]),
  );
}
