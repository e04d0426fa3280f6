import { describe, expect, it } from 'vitest';
import { type TicketQuery, wordOrders } from '../../../helpdesk/tickets/ticket-store.ts';
import { type ListPart, toParts } from '../../list-plan.ts';
import { drivenFilters, position, sorts } from '../../list-queries.fixture.ts';
import { useExplain } from '../explained.fixture.ts';
import { toListStatement, toStepStatement } from './list-statement.ts';

/** Apart from the walk, a step may only access rows of the current ticket. */
const checkOfOneTicket =
  /^(SEARCH .* USING (INTEGER )?PRIMARY KEY|SCAN each .*VIRTUAL TABLE INDEX|CORRELATED SCALAR SUBQUERY)/;

describe('list statements', () => {
  const planOf = useExplain();
  const explain = (query: ListPart) => planOf(toListStatement(query));

  describe.each(drivenFilters)('with %j', (filter, driver, next) => {
    it.each(sorts)('use one index in order, by $field $direction', (sort) => {
      const table = driver === 'tag' ? 'ticket_tags' : 'tickets';
      const words = [driver !== 'tag' && driver, sort.field === 'created_at' && next, sort.field];
      const index = `${table}_by_${words.filter(Boolean).join('_')}`;
      const [walk, ...others] = explain({ filter, sort, limit: 50 });
      expect(walk).toMatch(new RegExp(`^(SEARCH|SCAN) ${table} USING (COVERING )?INDEX ${index}( |$)`));
      for (const step of others) expect(step).toMatch(checkOfOneTicket);
    });

    it.each(sorts)('start the walk at the position of the page, by $field $direction', (sort) => {
      const [walk] = explain({ filter, sort, after: position, limit: 50 });
      const comparison = sort.direction === 'asc' ? '>' : '<';
      expect(walk).toMatch(/^SEARCH /);
      expect(walk).toContain(`(${sort.field},id)${comparison}(?,?)`);
    });
  });

  describe.each(drivenFilters)('of a customer with %j', (filter) => {
    it.each(sorts)('use the index of their tickets in order, by $field $direction', (sort) => {
      const field = sort.field === 'created_at' ? 'created_at' : 'public_updated_at';
      const query = { reader: 'a person', filter, sort, limit: 50 };
      const [walk, ...others] = explain(query);
      expect(walk).toMatch(
        new RegExp(
          `^SEARCH ticket_readers USING (COVERING )?INDEX ticket_readers_by_${field} \\(person_id=\\?`,
        ),
      );
      for (const step of others) expect(step).toMatch(checkOfOneTicket);
      const comparison = sort.direction === 'asc' ? '>' : '<';
      expect(explain({ ...query, after: position })[0]).toContain(`(${field},id)${comparison}(?,?)`);
    });
  });

  describe.each(drivenFilters)('of deleted tickets with %j', (filter) => {
    it.each(sorts)('use the index of deleted tickets in order, by $field $direction', (sort) => {
      const [walk, ...others] = explain({ isDeleted: true, filter, sort, limit: 50 });
      expect(walk).toMatch(
        new RegExp(`^(SEARCH|SCAN) tickets USING INDEX deleted_tickets_by_${sort.field}( |$)`),
      );
      for (const step of others) expect(step).toMatch(checkOfOneTicket);
    });
  });

  it.each([
    ['of a tag', { filter: { tag: { any: ['a'] } } }, 'ticket_tags_by_updated_at'],
    ['of a customer', { filter: {}, reader: 'a' }, 'ticket_readers_by_public_updated_at'],
  ] as const)('read no rows of tickets unless a condition needs them, %s', (_, query, index) => {
    const sort = { field: 'updated_at', direction: 'desc' } as const;
    expect(explain({ ...query, sort, limit: 50 })).toEqual([expect.stringContaining(` INDEX ${index} (`)]);
    const checked = { ...query, filter: { ...query.filter, channel: { any: ['web'] } } };
    expect(explain({ ...checked, sort, limit: 50 })[1]).toMatch(/^SEARCH tickets /);
  });

  it('end the walk at the bound of a range', () => {
    const range = { gte: position.value, lt: '2026-04-01T12:00:00.000Z' };
    const query = { filter: { tag: { any: ['printer'] }, created_at: range }, limit: 50 };
    const sort = { field: 'created_at', direction: 'desc' } as const;
    expect(explain({ ...query, sort })[0]).toContain('(tag=? AND created_at>? AND created_at<?)');
    expect(explain({ ...query, sort, after: position })[0]).toContain(
      'created_at>? AND (created_at,id)<(?,?)',
    );
  });

  it.each(['asc', 'desc'] as const)('merge the walks of several values without sorting, %s', (direction) => {
    for (const field of ['created_at', 'updated_at'] as const) {
      for (const filter of [
        { status: { any: ['new', 'open', 'hold'] } },
        { tag: { any: ['a', 'b', 'c'] } },
      ]) {
        const steps = explain({ filter, sort: { field, direction }, after: position, limit: 50 });
        const walks = steps.filter((step) => step.includes(`(${field},id)`));
        expect(walks).toHaveLength(3);
        expect(steps.join()).not.toMatch(/TEMP B-TREE|SCAN t/);
      }
    }
  });

  it.each(['asc', 'desc'] as const)('use an index for tickets with and without due date, %s', (direction) => {
    const sort = { field: 'due_at', direction } as const;
    const walks: readonly (readonly [Partial<TicketQuery>, string])[] = [
      [{}, 'tickets_by_due_at'],
      [{ isDeleted: true }, 'deleted_tickets_by_due_at'],
      [{ reader: 'a person' }, 'ticket_readers_by_due_at'],
      [{ filter: { status: { any: ['open'] } } }, 'tickets_by_status_due_at'],
      [{ filter: { assignee: { any: ['a@example.com'] } } }, 'tickets_by_assignee_due_at'],
      [{ filter: { requester: { any: ['a@example.com'] } } }, 'tickets_by_due_at'],
    ];
    for (const [given, index] of walks) {
      const parts = toParts({ filter: {}, ...given, sort, limit: 50 });
      expect(parts).toHaveLength(2);
      for (const part of parts) {
        const [walk, ...others] = explain(part);
        expect(walk).toContain(`INDEX ${index} `);
        for (const step of others) expect(step).toMatch(checkOfOneTicket);
      }
    }
  });

  it.each([
    ['waiting_since', { status: { any: ['open'] } }, 'tickets_by_status_waiting_since'],
    ['waiting_since', {}, 'tickets_by_waiting_since'],
    ['last_reply_at', { assignee: { any: ['a'] } }, 'tickets_by_assignee_last_reply_at'],
    ['last_customer_reply_at', { channel: { any: ['web'] } }, 'tickets_by_last_customer_reply_at'],
  ] as const)(
    'by %s list tickets with a value in order, then tickets without one',
    (field, filter, index) => {
      for (const direction of ['asc', 'desc'] as const) {
        const parts = toParts({ filter, sort: { field, direction }, limit: 50 });
        expect(parts.map(({ path }) => path)).toEqual([['some'], ['none']]);
        const [some = '', none = ''] = parts.map((part) => explain({ ...part, after: position }).join());
        expect(some).toContain(`INDEX ${index} (`);
        expect(some).toContain(`(${field},id)${direction === 'asc' ? '>' : '<'}(?,?)`);
        expect(none).toContain('_created_at (');
        expect(some + none).not.toMatch(/TEMP B-TREE|SCAN tickets/);
      }
    },
  );

  it('by number of replies use one index', () => {
    const sort = { field: 'reply_count', direction: 'desc' } as const;
    const plan = explain({ filter: {}, sort, after: { value: 3, id: position.id }, limit: 50 });
    expect(plan).toEqual([expect.stringContaining('INDEX tickets_by_reply_count ((reply_count,id)<(?,?)')]);
  });

  it.each(sorts)('merge the tickets of given ids, by $field $direction', (sort) => {
    const filter = { id: { any: ['one', 'another'] }, external_id: { any: ['CRM-7'] } };
    const steps = explain({ filter, sort, after: position, limit: 50 });
    const walks = steps.filter((step) => /^SEARCH tickets USING INDEX \S+ \(id=\?\)$/.test(step));
    expect(walks).toHaveLength(2);
    expect(steps.join()).not.toMatch(/TEMP B-TREE|SCAN/);
  });

  it.each(['priority', 'status'] as const)('use the index of each word in turn, by %s', (field) => {
    const filter = { [field]: { not: ['low', 'closed'] } };
    const parts = toParts({ filter, sort: { field, direction: 'desc' }, limit: 50 });
    const words = wordOrders[field].filter((word) => word !== 'low' && word !== 'closed');
    expect(parts.map(({ path }) => path?.[0])).toEqual(words.toReversed());
    for (const part of parts) {
      const plan = explain({ ...part, after: position });
      expect(plan).toEqual([expect.stringContaining(`INDEX tickets_by_${field}_created_at (${field}=? AND`)]);
    }
  });

  it('reach a step by the index of the list', () => {
    const sort = { field: 'created_at', direction: 'desc' } as const;
    const filter = { status: { any: ['open'] }, channel: { any: ['web'] } };
    const plan = planOf(toStepStatement({ filter, sort, limit: 50 }, 10_000));
    expect(plan).toEqual([expect.stringContaining('USING INDEX tickets_by_status_created_at (status=?)')]);
  });
});
