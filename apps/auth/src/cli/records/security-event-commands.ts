import type { Command } from 'commander';
import { operator } from '../../audit/client-audit.ts';
import type { SecurityEvent } from '../../security-events/security-event.ts';
import type { SecurityEventStore } from '../../security-events/security-event-store.ts';
import { type CliContext, CliError, withSecurityEvents } from '../kit/context.ts';
import { formatTime, toJson, toTable } from '../kit/output.ts';

const PAGE_SIZE = 500;

/** Adds the commands `security-event …`, which show and retry undelivered events. */
export function addSecurityEventCommands(group: Command, context: CliContext): void {
  group
    .command('list')
    .description('list events that no resource server has acknowledged')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const events = await withSecurityEvents(context, ({ store }) => Array.fromAsync(listAll(store)));
      context.print(json ? toJson(events.map(eventToJson)) : listEvents(events));
    });

  group
    .command('retry')
    .description('deliver a rejected event again')
    .argument('<id>')
    .option('--json', 'print JSON')
    .action(async (id: string, { json }: { json?: boolean }) => {
      await withSecurityEvents(context, async ({ store, audit }) => {
        if (!(await store.retry(id))) throw new CliError(`No rejected event has the id ${id}.`);
        const event = { type: 'security_event.retried', at: new Date() } as const;
        await audit.record({ ...operator, ...event, clientId: null, details: { jti: id } });
      });
      context.print(json ? toJson({ id, retried: true }) : `Event ${id} will be delivered again.\n`);
    });
}

async function* listAll(store: Pick<SecurityEventStore, 'list'>): AsyncIterable<SecurityEvent> {
  let afterId: string | undefined;
  do {
    const page = await store.list({ afterId, limit: PAGE_SIZE });
    yield* page;
    afterId = page.length === PAGE_SIZE ? page.at(-1)?.id : undefined;
  } while (afterId !== undefined);
}

function eventToJson(event: SecurityEvent) {
  return {
    id: event.id,
    type: event.type,
    client_id: event.receiver,
    account_id: event.accountId,
    occurred_at: event.occurredAt,
    available_at: event.availableAt,
    expires_at: event.expiresAt,
    rejection: event.rejection,
  };
}

function listEvents(events: readonly SecurityEvent[]): string {
  if (events.length === 0) return 'No events found; resource servers have acknowledged all of them.\n';
  return toTable(
    ['ID', 'TYPE', 'CLIENT', 'ACCOUNT', 'OCCURRED', 'EXPIRES', 'REJECTED'],
    events.map(({ id, type, receiver, accountId, occurredAt, expiresAt, rejection }) => [
      ...[id, type, receiver, accountId, formatTime(occurredAt), formatTime(expiresAt), rejection ?? ''],
    ]),
  );
}
