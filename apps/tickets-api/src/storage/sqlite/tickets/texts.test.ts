import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changed, newTicket } from '../../../api/tickets/new-ticket.fixture.ts';
import { adding, changing, purging } from '../../../helpdesk/commit/ticket-commit.fixture.ts';
import type { TicketCommit } from '../../../helpdesk/commit/ticket-commit.ts';
import { newReply } from '../../../helpdesk/replies/new-reply.fixture.ts';
import type { Reply } from '../../../helpdesk/replies/reply.ts';
import { toLine } from '../../../helpdesk/search/tokenize.ts';
import type { Ticket } from '../../../helpdesk/tickets/ticket.ts';
import { type OpenedTwice, openTwice } from '../opened-twice.fixture.ts';

describe('the word index', () => {
  let storage: OpenedTwice['storage'];
  let sqlite: OpenedTwice['sqlite'];
  let close: OpenedTwice['close'];

  beforeAll(async () => {
    ({ storage, sqlite, close } = await openTwice());
  });
  afterAll(() => close());

  const commit = (...commits: TicketCommit[]) => storage.tickets.commit(commits);
  const sizeOfIndex = () =>
    Number(sqlite.prepare('SELECT sum(length(block)) AS size FROM ticket_words_data').get()?.size);

  it('grows only by the words of a new reply, however many the ticket has', async () => {
    const ticket = newTicket();
    const writtenReplies = Array.from({ length: 300 }, (_, i) =>
      newReply(ticket.id, { body: `${i} ${'walrus otter '.repeat(10)} x${i} y${i} z${i}` }),
    );
    await commit(adding(ticket, { writtenReplies }));
    const before = sizeOfIndex();
    await commit(changing(changed(ticket), { writtenReplies: [newReply(ticket.id, { body: 'a quagga' })] }));
    expect(sizeOfIndex() - before).toBeLessThan(500);
  });

  /** Returns the rows that the index has for a prefix, and the rows whose texts have it. */
  const matches = (word: string) =>
    rowsOf('SELECT rowid AS seq FROM ticket_words WHERE ticket_words MATCH ?', `"${toLine(word).trim()}" *`);
  const holders = (word: string) =>
    rowsOf(
      'SELECT seq FROM ticket_texts WHERE instr(subject || description || replies || notes, ?) > 0',
      toLine(word).trimEnd(),
    );
  const rowsOf = (sql: string, value: string) =>
    sqlite
      .prepare(`${sql} ORDER BY 1`)
      .all(value)
      .map(({ seq }) => Number(seq));

  const words = fc.array(fc.constantFrom('walrus', 'otter', 'ice', 'floe', 'été', '火', 'printers'), {
    maxLength: 4,
  });
  const step = fc.record({
    what: fc.constantFrom('add', 'add', 'add', 'note', 'edit', 'remove', 'rename', 'purge', 'together'),
    which: fc.nat(1_000),
    text: words.map((each) => each.join(' ')),
  });

  it('equals a rebuilt index after any additions, changes and removals', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), async (steps) => {
        const model = createModel();
        for (const each of steps) await commit(...model.apply(each));
        const check = `INSERT INTO ticket_words (ticket_words, rank) VALUES ('integrity-check', 1)`;
        await sqlite.write(() => void sqlite.prepare(check).run());
        for (const word of ['walrus', 'été', '火', 'print']) expect(matches(word)).toEqual(holders(word));
      }),
      { numRuns: 10 },
    );
  });
});

interface Step {
  what: string;
  which: number;
  text: string;
}

/** Creates a model of three tickets, which random steps change. */
function createModel() {
  const tickets: { ticket: Ticket; replies: Reply[] }[] = [];

  function add(text: string): TicketCommit {
    const ticket = newTicket({ subject: text });
    const replies = [newReply(ticket.id, { body: text })];
    tickets.push({ ticket, replies });
    return adding(ticket, { writtenReplies: replies });
  }

  function change(state: { ticket: Ticket; replies: Reply[] }, { what, which, text }: Step): TicketCommit {
    const { id } = state.ticket;
    const index = which % Math.max(1, state.replies.length);
    const reply = state.replies[index];
    state.ticket = changed(state.ticket, what === 'rename' ? { description: text } : {});
    if (what === 'edit' && reply) {
      const edited = { ...reply, body: text, version: reply.version + 1 };
      state.replies[index] = edited;
      return changing(state.ticket, { writtenReplies: [edited] });
    }
    if (what === 'remove' && reply) {
      state.replies.splice(index, 1);
      return changing(state.ticket, { removedReplies: [reply.id] });
    }
    if (what === 'rename') return changing(state.ticket);
    const added = newReply(id, { body: text, visibility: what === 'note' ? 'internal' : 'public' });
    state.replies.push(added);
    return changing(state.ticket, { writtenReplies: [added] });
  }

  return {
    apply(step: Step): TicketCommit[] {
      const found = tickets[step.which % 3];
      if (!found) return [add(step.text)];
      if (step.what === 'purge') {
        tickets.splice(tickets.indexOf(found), 1);
        return [purging(found.ticket)];
      }
      if (step.what === 'together') return tickets.map((each) => change(each, step));
      return [change(found, step)];
    },
  };
}
