import { describe, expect, it } from 'vitest';
import type { EventFilter, EventSearch } from '../../../helpdesk/history/event-search.ts';
import { useExplain } from '../explained.fixture.ts';
import { toEventStatement } from './events.ts';

const range = { gte: '2026-03-01T00:00:00.000Z', lt: '2026-04-01T00:00:00.000Z' };
const after = { created_at: '2026-03-07T12:00:00.000Z', id: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071' };

describe('toEventStatement', () => {
  const plan = useExplain();
  const explain = (query: EventSearch) => plan(toEventStatement(query));

  describe.each<[EventFilter, string, number]>([
    [{}, 'events_in_order', 1],
    [{ created_at: range, client_id: { any: ['app'] } }, 'events_in_order', 1],
    [{ actor: { any: ['ada', 'system'] }, type: { any: ['reply.added'] } }, 'events_by_actor', 2],
    [{ type: { any: ['reply.added', 'reply.removed'] }, created_at: range }, 'events_by_type', 2],
  ])('with %j', (filter, index, walks) => {
    it.each(['asc', 'desc'] as const)(
      'uses its index in order from the position of the page, %s',
      (direction) => {
        const steps = explain({ filter, direction, limit: 50, after });
        const comparison = direction === 'asc' ? '>' : '<';
        const found = steps.filter((step) => step.includes(`INDEX ${index} (`));
        expect(found).toHaveLength(walks);
        for (const step of found) expect(step).toContain(`(created_at,id)${comparison}(?,?)`);
        expect(steps.join()).not.toMatch(/TEMP B-TREE|SCAN events/);
      },
    );
  });

  it('reads the few events of a ticket by its index', () => {
    const filter = { ticket_id: { any: [after.id] }, actor: { any: ['ada'] } };
    const [walk] = explain({ filter, direction: 'asc', limit: 50 });
    expect(walk).toMatch(/^SEARCH events USING INDEX sqlite_autoindex_events_1 \(ticket_seq=\?\)/);
  });
});
