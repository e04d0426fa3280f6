import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createRenderer } from './renderer.ts';

const schema = z.object({ id: z.string(), tags: z.array(z.string()).meta({ item: 'tag' }) });
const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** Creates a renderer whose output is text. */
function createTicketRenderer() {
  const { one, many } = createRenderer({ schema, singular: 'ticket', plural: 'tickets' });
  return {
    one: (...given: Parameters<typeof one>) => String(one(...given)),
    many: (...given: Parameters<typeof many>) => String(many(...given)),
  };
}

describe('a resource', () => {
  const { one } = createTicketRenderer();

  it('is the bare object in JSON and the singular element in XML', () => {
    expect(one('json', { id: 'a', tags: [] })).toBe('{"id":"a","tags":[]}');
    expect(one('xml', { id: 'a', tags: [] })).toBe(`${declaration}<ticket><id>a</id><tags/></ticket>`);
  });
});

describe('a collection', () => {
  const { many } = createTicketRenderer();
  const items = [
    { id: 'a', tags: [] },
    { id: 'b', tags: ['x'] },
  ];

  it('is the plural with the cursor of the next page', () => {
    const page = { items, nextCursor: '"<c>' };
    expect(JSON.parse(many('json', page))).toEqual({ tickets: items, next_cursor: '"<c>' });
    expect(many('xml', page)).toBe(
      `${declaration}<tickets next_cursor="&quot;&lt;c&gt;"><ticket><id>a</id><tags/></ticket><ticket><id>b</id><tags><tag>x</tag></tags></ticket></tickets>`,
    );
  });

  it('has null in JSON and no attribute in XML on the last page, even when it is empty', () => {
    const page = { items: [], nextCursor: null };
    expect(many('json', page)).toBe('{"tickets":[],"next_cursor":null}');
    expect(many('xml', page)).toBe(`${declaration}<tickets/>`);
  });
});

describe('the cache of the renderer', () => {
  /** Creates a ticket that counts how often its id is read. */
  function createCountingTicket() {
    const counted = {
      reads: 0,
      ticket: {
        tags: [],
        get id() {
          counted.reads++;
          return `read ${counted.reads}`;
        },
      },
    };
    return counted;
  }

  it('is used for the same frozen object in each format, alone or in a list', () => {
    const { one, many } = createTicketRenderer();
    const counted = createCountingTicket();
    const ticket = Object.freeze(counted.ticket);
    expect(one('json', ticket)).toBe('{"tags":[],"id":"read 1"}');
    expect(many('json', { items: [ticket, ticket], nextCursor: null })).toContain('"read 1"');
    expect(one('xml', ticket)).toContain('<id>read 2</id>');
    expect(one('xml', ticket)).toContain('<id>read 2</id>');
    expect(counted.reads).toBe(2);
  });

  it('is not used for another entity tag', () => {
    const { one } = createTicketRenderer();
    const ticket = Object.freeze({ id: 'é', tags: [] });
    expect(one('json', ticket, '"1-a"')).toBe('{"id":"é","tags":[],"etag":"\\"1-a\\""}');
    expect(one('json', ticket, '"1-b"')).toBe('{"id":"é","tags":[],"etag":"\\"1-b\\""}');
    expect(one('json', ticket)).toBe('{"id":"é","tags":[]}');
  });

  it('is not used for mutable objects', () => {
    const { one } = createTicketRenderer();
    const { ticket } = createCountingTicket();
    expect(one('json', ticket)).toContain('read 1');
    expect(one('json', ticket)).toContain('read 2');
  });
});
