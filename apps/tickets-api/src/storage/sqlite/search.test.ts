import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite, type Sqlite } from '@keydesk/storage/sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newTicket } from '../../api/tickets/new-ticket.fixture.ts';
import { adding } from '../../helpdesk/commit/ticket-commit.fixture.ts';
import { newReply } from '../../helpdesk/replies/new-reply.fixture.ts';
import { parseSearch } from '../../helpdesk/search/search-terms.ts';
import type { TicketQuery } from '../../helpdesk/tickets/ticket-store.ts';
import { explain } from './explained.fixture.ts';
import { schema } from './schema.ts';
import { openSqliteStorage } from './storage.ts';
import { toListStatement } from './tickets/list-statement.ts';

const newestFirst: TicketQuery['sort'] = { field: 'created_at', direction: 'desc' };
const TICKETS = 250;

describe('search on SQLite', () => {
  let folder: string;
  let path: string;
  let sqlite: Sqlite;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keydesk-search-'));
    path = join(folder, 'tickets.db');
    const storage = await openSqliteStorage({ path });
    const tickets = Array.from({ length: TICKETS }, (_, i) =>
      newTicket({ subject: i % 3 === 0 ? 'a walrus' : 'an otter', description: `number${i % 7}` }),
    );
    await storage.tickets.commit(
      tickets.map((ticket) =>
        adding(ticket, { writtenReplies: [newReply(ticket.id, { body: 'ice floe' })] }),
      ),
    );
    await storage.close();
    sqlite = openSqlite({ path, ...schema });
  });
  afterAll(async () => {
    await sqlite.close();
    await rm(folder, { recursive: true });
  });

  it('returns the same, led by the word index or by the list', () => {
    for (const q of ['walrus', '"ice floe" number3', 'otter num', 'floe ice walrus']) {
      const query = { search: termsOf(q), filter: {}, sort: newestFirst, limit: 1_000 };
      const [led, walked] = [true, false].map((isLedByWords) => {
        const statement = toListStatement(query, { isLedByWords });
        const rows = sqlite.prepare(statement.sql).all(...statement.values);
        return { rows, plan: explain(sqlite, statement) };
      });
      expect(led?.plan[0]).toMatch(/^SCAN ticket_words VIRTUAL TABLE INDEX \d+:M/);
      expect(led?.plan.join()).not.toMatch(/SCAN tickets/);
      expect(walked?.plan.join()).toMatch(/SEARCH ticket_texts (EXISTS )?USING INTEGER PRIMARY KEY/);
      expect(led?.rows.length).toBeGreaterThan(0);
      expect(led?.rows).toEqual(walked?.rows);
    }
  });
});

function termsOf(q: string) {
  const parsed = parseSearch(q);
  if ('fault' in parsed) throw new Error(parsed.fault);
  return parsed.terms;
}
