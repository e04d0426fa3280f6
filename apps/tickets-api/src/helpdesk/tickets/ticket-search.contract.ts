import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changed, newReference, newTicket } from '../../api/tickets/new-ticket.fixture.ts';
import { openTwice } from '../../storage/engines.fixture.ts';
import type { TestDatabase } from '../../storage/test-database.fixture.ts';
import { adding, changing, purging } from '../commit/ticket-commit.fixture.ts';
import type { TicketCommit } from '../commit/ticket-commit.ts';
import { newReply } from '../replies/new-reply.fixture.ts';
import { parseSearch } from '../search/search-terms.ts';
import {
  hasAll,
  type SpelledWord,
  spelledSearch,
  spelledText,
  toProse,
  toQuery,
} from '../search/searched-texts.fixture.ts';
import type { TicketQuery, TicketSort } from './ticket-store.ts';

const newestFirst: TicketSort = { field: 'created_at', direction: 'desc' };
const sorts: readonly TicketSort[] = (['created_at', 'updated_at'] as const).flatMap((field) =>
  (['asc', 'desc'] as const).map((direction) => ({ field, direction })),
);
const at = (i: number) => `2026-03-01T12:00:0${i % 10}.000Z`;

/** The texts of a ticket, each as a list of words and as written text. */
const spelledTicket = fc.record({
  subject: spelledText,
  description: spelledText,
  replies: fc.array(spelledText, { maxLength: 2 }),
  notes: fc.array(spelledText, { maxLength: 2 }),
});
type SpelledTicket = typeof spelledTicket extends fc.Arbitrary<infer Made> ? Made : never;

/** Contract of every ticket store for searches. */
export function ticketSearchContract(createDatabase: () => Promise<TestDatabase>): void {
  describe('a search for tickets', () => {
    const opened = openTwice(createDatabase);
    const commit = (...commits: TicketCommit[]) => opened.storage.tickets.commit(commits);

    async function find(q: string, query: Partial<TicketQuery> = {}): Promise<string[]> {
      const found = await opened.other.tickets.list({
        search: termsOf(q),
        filter: {},
        sort: newestFirst,
        limit: 100,
        ...query,
      });
      return found.map(({ ticket }) => ticket.id);
    }

    it('finds what a plain comparison of all texts finds, in every order, whole and in pages', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(spelledTicket, { minLength: 3, maxLength: 8 }),
          fc.array(spelledSearch, { minLength: 1, maxLength: 5 }),
          async (corpus, searches) => {
            const reader = newReference();
            const tag = `t${reader.id}`;
            const filter = { tag: { any: [tag] } };
            const made = corpus.map((spelled, i) => ({ spelled, commit: toCommit(spelled, i, reader, tag) }));
            await commit(...made.map((each) => each.commit));
            for (const search of searches) {
              const visible = {
                staff: made.filter(({ spelled }) => hasAll([...publicOf(spelled), ...spelled.notes], search)),
                customer: made.filter(({ spelled }) => hasAll(publicOf(spelled), search)),
              };
              for (const sort of sorts) {
                const staff = order(visible.staff, sort);
                const customer = order(visible.customer, sort);
                expect(await find(toQuery(search), { filter, sort })).toEqual(staff);
                expect(await find(toQuery(search), { reader: reader.id, sort })).toEqual(customer);
              }
              expect(await readInPages(toQuery(search), filter)).toEqual(order(visible.staff, newestFirst));
            }
          },
        ),
        { numRuns: 12 },
      );
    });

    it('searches the first half million characters of the replies to a ticket, and as much of its notes', async () => {
      const ticket = newTicket();
      const long = 'word '.repeat(13_000);
      const answers = ['zebra', ...Array.from({ length: 8 }, () => long), 'giraffe'];
      const writtenReplies = [
        ...answers.map((body) => newReply(ticket.id, { body })),
        newReply(ticket.id, { body: 'llama', visibility: 'internal' }),
      ];
      const oneByOne = newTicket();
      await commit(adding(ticket, { writtenReplies }), adding(oneByOne));
      for (const [i, { body, visibility }] of writtenReplies.entries()) {
        const next = { ...oneByOne, version: i + 2 };
        await commit(changing(next, { writtenReplies: [newReply(oneByOne.id, { body, visibility })] }));
      }
      const found = await Promise.all(['zebra', 'giraffe', 'llama'].map((q) => find(q)));
      expect(found.map((ids) => ids.sort())).toEqual([[ticket.id, oneByOne.id].sort(), [], found[0]]);
    });

    async function readInPages(q: string, filter: TicketQuery['filter']): Promise<string[]> {
      const ids: string[] = [];
      let after: TicketQuery['after'];
      for (;;) {
        const page = await opened.other.tickets.list({
          search: termsOf(q),
          filter,
          sort: newestFirst,
          limit: 2,
          ...(after && { after }),
        });
        ids.push(...page.map(({ ticket }) => ticket.id));
        const last = page.at(-1)?.ticket;
        if (page.length < 2 || !last) return ids;
        after = { value: last.created_at, id: last.id };
      }
    }

    it('finds a ticket by a reply as soon as it is added, changed or removed', async () => {
      const ticket = newTicket({ subject: 'Toner' });
      const reply = newReply(ticket.id, { body: 'quagga' });
      await commit(adding(ticket));
      const seen = [await find('quagga')];
      const answered = changed(ticket);
      await commit(changing(answered, { writtenReplies: [reply] }));
      seen.push(await find('toner quagga'));
      const edited = changed(answered);
      await commit(changing(edited, { writtenReplies: [{ ...reply, body: 'okapi', version: 2 }] }));
      seen.push(await find('quagga'), await find('okapi toner'));
      await commit(changing(changed(edited), { removedReplies: [reply.id] }));
      seen.push(await find('okapi'), await find('toner'));
      expect(seen).toEqual([[], [ticket.id], [], [ticket.id], [], [ticket.id]]);
    });

    it('finds an edited ticket by its current subject and description and still by its replies', async () => {
      const ticket = newTicket({ subject: 'Quokka', description: 'numbat' });
      await commit(adding(ticket, { writtenReplies: [newReply(ticket.id, { body: 'dugong' })] }));
      await commit(changing(changed(ticket, { subject: 'Wombat' })));
      expect([await find('quokka'), await find('wombat numbat dugong')]).toEqual([[], [ticket.id]]);
    });

    it('never finds a ticket for a customer by a note, nor by words of which one is only in a note', async () => {
      const reader = newReference();
      const ticket = newTicket({ subject: 'Axolotl', requester: reader });
      const note = newReply(ticket.id, { body: 'axolotl, a capybara', visibility: 'internal' });
      await commit(adding(ticket, { writtenReplies: [note] }));
      expect(await find('axolotl', { reader: reader.id })).toEqual([ticket.id]);
      for (const q of ['capybara', 'axolotl capybara', 'capy', '"a capybara"', '"axolotl a"']) {
        expect(await find(q)).toEqual([ticket.id]);
        expect(await find(q, { reader: reader.id })).toEqual([]);
      }
    });

    it('finds a deleted ticket only among deleted ones, and a purged one never', async () => {
      const ticket = newTicket({ subject: 'Pangolin' });
      const deleted = changed(ticket, { deleted_at: at(1) });
      await commit(adding(ticket));
      await commit(changing(deleted));
      expect([await find('pangolin'), await find('pangolin', { isDeleted: true })]).toEqual([
        [],
        [ticket.id],
      ]);
      await commit(purging(deleted));
      expect(await find('pangolin', { isDeleted: true })).toEqual([]);
    });

    it('finds exactly the committed changes of several concurrent writers', async () => {
      const ticket = newTicket({ subject: 'Tapir' });
      await commit(adding(ticket));
      const next = changed(ticket);
      const racers = ['serval', 'caracal', 'ocelot', 'margay'];
      const outcomes = await Promise.all(
        racers.map((body, i) => {
          const { tickets } = i % 2 === 0 ? opened.storage : opened.other;
          return tickets.commit([changing(next, { writtenReplies: [newReply(ticket.id, { body })] })]);
        }),
      );
      for (const [i, body] of racers.entries()) {
        expect(await find(body)).toEqual(outcomes[i]?.outcome === 'committed' ? [ticket.id] : []);
      }
    });

    it('does not match a phrase across two texts', async () => {
      const ticket = newTicket({ subject: 'Gibbon', description: 'lemur' });
      const bodies = ['loris', 'tarsier'].map((body) => newReply(ticket.id, { body }));
      await commit(adding(ticket, { writtenReplies: bodies }));
      expect(await find('gibbon lemur loris tarsier')).toEqual([ticket.id]);
      for (const q of ['"gibbon lemur"', '"lemur loris"', '"loris tarsier"', '"loris tars']) {
        if (q.endsWith('"')) expect(await find(q)).toEqual([]);
      }
    });

    it('returns the texts in which it found a ticket', async () => {
      const ticket = newTicket({ subject: 'A Bongo!', description: '' });
      const note = newReply(ticket.id, { body: 'Kudu', visibility: 'internal' });
      await commit(adding(ticket, { writtenReplies: [newReply(ticket.id, { body: 'Nyala, eland' }), note] }));
      const query = { search: termsOf('bongo'), filter: {}, sort: newestFirst, limit: 10 };
      const text = { subject: ' a bongo ', description: '', replies: ' nyala eland ', notes: ' kudu ' };
      expect(await Array.fromAsync(opened.other.tickets.listTexts(query))).toEqual([
        { id: ticket.id, created_at: ticket.created_at, text },
      ]);
    });
  });
}

function termsOf(q: string) {
  const parsed = parseSearch(q);
  if ('fault' in parsed) throw new Error(`${q} ${parsed.fault}`);
  return parsed.terms;
}

function publicOf({ subject, description, replies }: SpelledTicket): SpelledWord[][] {
  return [subject, description, ...replies];
}

function toCommit(
  { subject, description, replies, notes }: SpelledTicket,
  i: number,
  requester: ReturnType<typeof newReference>,
  tag: string,
): TicketCommit {
  const texts = { subject: toProse(subject), description: toProse(description) };
  const ticket = newTicket({ ...texts, requester, tags: [tag], updated_at: at(9 - (i % 3)) }, at(i % 4));
  const written = [
    ...replies.map((body) => newReply(ticket.id, { body: toProse(body) })),
    ...notes.map((body) => newReply(ticket.id, { body: toProse(body), visibility: 'internal' })),
  ];
  return adding(ticket, { writtenReplies: written });
}

/** Returns the ids in the order of a list. */
function order(found: readonly { commit: TicketCommit }[], { field, direction }: TicketSort): string[] {
  const keys = found.map(({ commit: { id, record } }) => [record?.ticket[field] ?? '', id] as const);
  const sorted = keys.toSorted(([a, x], [b, y]) => (a === b ? (x < y ? -1 : 1) : a < b ? -1 : 1));
  return (direction === 'asc' ? sorted : sorted.reverse()).map(([, id]) => id);
}
