import { type Command, InvalidArgumentError } from 'commander';
import { createDirectAudit } from '../../audit/audit.ts';
import { type AuditEventType, type AuditRecord, typesWithPrefix } from '../../audit/audit-event.ts';
import type { AuditPage, AuditStore } from '../../audit/audit-store.ts';
import { operator } from '../../audit/client-audit.ts';
import { type CliContext, withAudit } from '../kit/context.ts';
import { formatTime, toJson, toTable } from '../kit/output.ts';
import { parseInstant } from './instant.ts';

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

/** Number of records that are read or deleted in one batch. */
const BATCH = 1_000;

/** Adds the commands `audit …`. */
export function addAuditCommands(group: Command, context: CliContext): void {
  group
    .command('list')
    .description('list records, newest first')
    .option('--type <type>', 'filter by event type or prefix, such as token.', parseTypes)
    .option('--account <account-id>', 'filter by account id', parseAccountId)
    .option('--client <client-id>', 'filter by client id')
    .option('--since <time>', 'start time, such as 2d (ago) or 2026-03-01T12:00:00Z', parseInstant)
    .option('--until <time>', 'end time (exclusive)', parseInstant)
    .option('--limit <count>', 'maximum number of records', parseCount, 100)
    .option('--json', 'print JSON')
    .action(async ({ type: types, account: accountId, client: clientId, json, ...options }: ListOptions) => {
      const query = { ...options, types, accountId, clientId };
      const records = await withAudit(context, (store) => Array.fromAsync(listAll(store, query)));
      context.print(json ? toJson(records.map(recordToJson)) : listRecords(records, options.limit));
    });

  group
    .command('prune')
    .description('delete old records permanently')
    .requiredOption('--older-than <age>', 'minimum age, such as 90d', parseInstant)
    .option('--json', 'print JSON')
    .action(async ({ olderThan, json }: PruneOptions) => {
      const count = await withAudit(context, (store) => prune(store, olderThan));
      context.print(json ? toJson({ pruned: count }) : `${count} records were deleted.\n`);
    });
}

function parseTypes(text: string): readonly AuditEventType[] {
  const types = typesWithPrefix(text);
  if (types.length > 0) return types;
  const groups = new Set(typesWithPrefix('').map((type) => `${type.split('.')[0]}.`));
  throw new InvalidArgumentError(`Unknown type; use one that begins with ${[...groups].join(' ')}`);
}

/** Rejects an address: records contain only account ids, so an address would match nothing. */
function parseAccountId(text: string): string {
  if (!text.includes('@')) return text;
  throw new InvalidArgumentError(`Use the account id; account show ${text} prints it.`);
}

function parseCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Use a whole number above 0.');
  return Number(text);
}

async function* listAll(store: AuditStore, { limit, ...filters }: AuditPage): AsyncIterable<AuditRecord> {
  let [left, beforeId]: [number, string | undefined] = [limit, undefined];
  while (left > 0) {
    const query = Math.min(left, BATCH);
    const page = await store.list({ ...filters, beforeId, limit: query });
    yield* page;
    left = page.length < query ? 0 : left - query;
    beforeId = page.at(-1)?.id;
  }
}

/** Deletes old records in batches and records the deletion itself. */
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
  if (records.length === 0) return 'No records found.\n';
  const table = toTable(
    ['TIME', 'TYPE', 'ACTOR', 'ACCOUNT', 'CLIENT', 'FROM', 'REQUEST', 'DETAILS'],
    records.map((record) => [
      formatTime(record.at),
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
  const note = `Showing the newest ${limit}; use --limit for more.\n`;
  return records.length < limit ? table : `${table}\n${note}`;
}
