import { type Command, InvalidArgumentError } from 'commander';
import { createDirectAudit } from '../audit/audit.ts';
import { type AuditEventType, type AuditRecord, typesWithPrefix } from '../audit/audit-event.ts';
import type { AuditPage, AuditStore } from '../audit/audit-store.ts';
import { operator } from '../audit/client-audit.ts';
import { type CliContext, withAudit } from './context.ts';
import { parseMoment } from './moment.ts';
import { toJson, toReadable, toTable } from './output.ts';

interface ListOptions extends Pick<AuditPage, 'since' | 'until' | 'limit'> {
  type?: readonly AuditEventType[];
  account?: string;
  client?: string;
  json?: boolean;
}

interface PruneOptions {
  olderThan: Date;
  json?: boolean;
}

/** How many records are read, or deleted, at once. */
const BATCH = 1_000;

/** `audit …`: the record of what happened. */
export function addAuditCommands(program: Command, context: CliContext): void {
  const noun = program
    .command('audit')
    .description('the record of who did what, through which client and when');

  noun
    .command('list')
    .description('list the newest records first')
    .option('--type <type>', 'only of a type, or of all that begin so, like token.', parseTypes)
    .option('--account <account-id>', 'only about an account', parseAccountId)
    .option('--client <client-id>', 'only about a client')
    .option('--since <time>', 'only from a time on, like 2d (ago) or 2026-03-01T12:00:00Z', parseMoment)
    .option('--until <time>', 'only from before a time', parseMoment)
    .option('--limit <count>', 'how many at most', parseCount, 100)
    .option('--json', 'print JSON')
    .action(async ({ type: types, account: accountId, client: clientId, json, ...options }: ListOptions) => {
      const asked = { ...options, types, accountId, clientId };
      const records = await withAudit(context, (store) => Array.fromAsync(listAll(store, asked)));
      context.print(json ? toJson(records.map(recordToJson)) : listRecords(records, options.limit));
    });

  noun
    .command('prune')
    .description('delete old records for good')
    .requiredOption('--older-than <age>', 'of which age, like 90d', parseMoment)
    .option('--json', 'print JSON')
    .action(async ({ olderThan, json }: PruneOptions) => {
      const count = await withAudit(context, (store) => prune(store, olderThan));
      context.print(json ? toJson({ pruned: count }) : `${count} records are deleted.\n`);
    });
}

function parseTypes(text: string): readonly AuditEventType[] {
  const types = typesWithPrefix(text);
  if (types.length > 0) return types;
  const groups = new Set(typesWithPrefix('').map((type) => `${type.split('.')[0]}.`));
  throw new InvalidArgumentError(`No type begins so; there are ${[...groups].join(' ')}`);
}

/** Records name nobody by an address: asked for one, the answer would be that nothing happened. */
function parseAccountId(text: string): string {
  if (!text.includes('@')) return text;
  throw new InvalidArgumentError(`It must be an id: account show ${text} tells it.`);
}

function parseCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number above 0.');
  return Number(text);
}

async function* listAll(store: AuditStore, { limit, ...filters }: AuditPage): AsyncIterable<AuditRecord> {
  let [left, beforeId]: [number, string | undefined] = [limit, undefined];
  while (left > 0) {
    const asked = Math.min(left, BATCH);
    const page = await store.list({ ...filters, beforeId, limit: asked });
    yield* page;
    left = page.length < asked ? 0 : left - asked;
    beforeId = page.at(-1)?.id;
  }
}

/** That something was deleted stays in the record. */
async function prune(store: AuditStore, before: Date): Promise<number> {
  let total = 0;
  for (let count = BATCH; count === BATCH; total += count) count = await store.prune(before, BATCH);
  const details = { before: before.toISOString(), count: String(total) };
  const event = { ...operator, type: 'audit.pruned', at: new Date(), clientId: null, details } as const;
  await createDirectAudit(store).record(event);
  return total;
}

function recordToJson({
  id,
  at,
  type,
  actor,
  accountId,
  clientId,
  address,
  requestId,
  details,
}: AuditRecord) {
  return {
    id,
    at,
    type,
    actor,
    account_id: accountId,
    client_id: clientId,
    address,
    request_id: requestId,
    details,
  };
}

function listRecords(records: readonly AuditRecord[], limit: number): string {
  if (records.length === 0) return 'There are no such records.\n';
  const table = toTable(
    ['TIME', 'TYPE', 'ACTOR', 'ACCOUNT', 'CLIENT', 'FROM', 'REQUEST', 'DETAILS'],
    records.map((record) => [
      toReadable(record.at),
      record.type,
      record.actor ?? '-',
      record.accountId ?? '-',
      record.clientId ?? '-',
      record.address ?? '-',
      record.requestId ?? '-',
      Object.entries(record.details)
        .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
        .join(' '),
    ]),
  );
  const note = `These are the newest ${limit}; there may be more: --limit says how many are shown.\n`;
  return records.length < limit ? table : `${table}\n${note}`;
}
