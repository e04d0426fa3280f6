import { describe, expect, test } from 'vitest';
import type { Operation } from '../../contract/operation.ts';
import { operations } from '../../contract/operations.ts';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import type { TestApi } from '../../tests/api.fixture.ts';
import { useApi } from '../../tests/use-api.fixture.ts';
import { commonParameters } from '../http/unknown-parameter.ts';
import { type Send, signIn } from '../people/people.fixture.ts';

/** Common parameters that a list does not offer. All other lists offer all of them. */
const notOffered: Readonly<Record<string, readonly string[]>> = {
  // The feed is endless and has a single order; its cursor is `since`.
  listChanges: ['cursor', 'sort', 'total'],
  // It returns counts of values, always all of them.
  countTickets: commonParameters,
};

const lists = operations.filter(({ method, answer }) => {
  const { shape } = answer.component.schema;
  return method === 'GET' && ('next_cursor' in shape || 'changes' in shape);
});
const offers =
  (name: string) =>
  ({ id, query }: Operation) =>
    !notOffered[id]?.includes(name) && query !== undefined;
const offering = (name: string) => lists.filter(offers(name));

type Item = Record<string, unknown>;

let agent: Send;
let ticketId = '';

/** Creates enough members for three pages of each list. */
async function prepare(api: TestApi): Promise<void> {
  const admin = signIn(api, 'admin', 'root@example.com');
  agent = signIn(api, 'agent', 'grace@example.com', { name: 'Grace' });
  const add = async (path: string, body: Item) => {
    const { status, json, text } = await admin('POST', path, body);
    expect(status, text).toBe(201);
    return String(json.id);
  };
  for (const i of [1, 2, 3, 4, 5]) {
    const requester = { email: `ada${i}@example.com` };
    ticketId = await add('/tickets.json', { subject: `x${i}`, requester, tags: [`t${i}`, 't0'] });
    const field = { key: `field_${i}`, title: 'x', type: 'text', position: i % 2 };
    await add('/ticket_fields.json', field);
  }
  for (const i of [1, 2]) {
    await add('/ticket_types.json', { id: `type_${i}`, title: 'x', position: i });
    await add('/ticket_priorities.json', { id: `priority_${i}`, title: 'x', rank: i });
  }
  for (const body of ['1', '2', '3', '4', '5']) await add(`/ticket/${ticketId}/replies.json`, { body });
}

function toPath({ path }: Operation, query = '', format = 'json'): string {
  return `${path.replace('{ticket_id}', ticketId)}.${format}?${query}`;
}

async function get(operation: Operation, query = ''): Promise<Item> {
  const { status, json, text } = await agent('GET', toPath(operation, query));
  expect(status, text).toBe(200);
  return json;
}

async function faultsOf(operation: Operation, query: string): Promise<Item[]> {
  const { status, json } = await agent('GET', toPath(operation, query));
  expect([status, json.code]).toEqual([400, 'validation_failed']);
  return json.errors as Item[];
}

function itemsOf({ answer }: Operation, json: Item): Item[] {
  return json[answer.component.element] as Item[];
}

/** Reads all pages of two members, at least three pages (two of roles), in both formats. */
async function readPages(operation: Operation, query = ''): Promise<Item[]> {
  const read: Item[] = [];
  let cursor = '';
  for (let pages = 1; pages < 100; pages++) {
    const given = `${query}&limit=2${cursor}`;
    const json = await get(operation, given);
    const items = itemsOf(operation, json);
    expect(items.length).toBeLessThanOrEqual(2);
    read.push(...items);
    const { headers } = await agent('GET', toPath(operation, given, 'xml'));
    if (json.next_cursor === null) {
      expect([headers.get('Link'), pages]).toEqual([null, expect.any(Number)]);
      expect(pages).toBeGreaterThanOrEqual(operation.id === 'listRoles' ? 2 : 3);
      return read;
    }
    expect(headers.get('Link')).toContain(`cursor=${json.next_cursor}`);
    cursor = `&cursor=${json.next_cursor}`;
  }
  throw new Error('the list does not end');
}

/** Returns the members that every item has, whatever is selected. */
function identityOf({ id }: Operation): readonly string[] {
  if (id === 'listChanges') return ['id', 'type', 'ticket_id', 'deleted'];
  return id === 'listTags' ? ['name'] : ['id'];
}

function keyOf(item: Item): string {
  return String(item.id ?? item.name);
}

function describeGrammar(): void {
  test.each(lists)('$id offers every common parameter, or is listed as an exception', ({ id, query }) => {
    const expected = commonParameters.filter((name) => !notOffered[id]?.includes(name));
    const offered = commonParameters.filter((name) => name in (query?.shape ?? {}));
    expect(offered).toEqual(expected);
  });

  test.each(commonParameters)('%s has the same description on every list', (name) => {
    const first = lists.map(({ query }) => query?.shape[name]?.description?.split(';')[0]);
    expect(new Set(first.filter((each) => each !== undefined)).size).toBe(1);
  });

  test.each(lists)('$id rejects a parameter that it does not offer', async (operation) => {
    for (const name of notOffered[operation.id] ?? []) {
      const message = expect.stringMatching('^is not offered for');
      expect(await faultsOf(operation, `${name}=1`)).toEqual([
        { field: name, code: 'unknown_parameter', message },
      ]);
    }
    expect(await faultsOf(operation, 'colour=red')).toMatchObject([{ field: 'colour' }]);
  });

  describe.each(offering('cursor'))('$id', (operation) => {
    test('returns pages of the requested size, each item once', async () => {
      const all = itemsOf(operation, await get(operation, 'limit=100'));
      expect(await readPages(operation)).toEqual(all);
      for (const query of ['limit=0', 'limit=9999', 'limit=x', 'limit=']) {
        expect(await faultsOf(operation, query)).toMatchObject([{ field: 'limit' }]);
      }
    });

    test('accepts only its own cursors', async () => {
      const { next_cursor } = await get(operation, 'limit=2');
      const others = offering('cursor').filter(({ id }) => id !== operation.id);
      for (const other of others) {
        expect(await faultsOf(other, `cursor=${next_cursor}`), other.id).toMatchObject([{ field: 'cursor' }]);
      }
      expect(await faultsOf(operation, 'cursor=nonsense')).toMatchObject([{ field: 'cursor' }]);
    });
  });

  test.each(offering('total'))('$id returns the total on request', async (operation) => {
    const all = itemsOf(operation, await get(operation, 'limit=100'));
    const { total, total_is_exact, next_cursor } = await get(operation, 'total=true&limit=2');
    expect([total, total_is_exact]).toEqual([all.length, true]);
    const later = await get(operation, `total=true&limit=2&cursor=${next_cursor}`);
    expect(later.total).toBe(all.length);
    const { text } = await agent('GET', toPath(operation, 'total=true', 'xml'));
    expect(text).toContain(` total="${all.length}" total_is_exact="true"`);
    for (const query of ['', 'total=false']) expect(await get(operation, query)).not.toHaveProperty('total');
    expect(await faultsOf(operation, 'total=yes')).toMatchObject([{ field: 'total' }]);
  });

  describe.each(offering('fields'))('$id', (operation) => {
    test('returns the selected fields and the identity of each item', async () => {
      const [whole = {}] = itemsOf(operation, await get(operation));
      for (const field of Object.keys(whole)) {
        const [item = {}, ...others] = itemsOf(operation, await get(operation, `fields=${field}`));
        const names = [...new Set([...identityOf(operation), field])].toSorted();
        expect(item).toEqual(Object.fromEntries(names.map((name) => [name, whole[name]])));
        for (const other of others) expect(Object.keys(other).toSorted()).toEqual(names);
      }
      for (const query of ['fields=', 'fields=colour', `fields=${Object.keys(whole)[0]},`]) {
        expect(await faultsOf(operation, query)).toMatchObject([{ field: 'fields' }]);
      }
    });

    test('returns them in XML too, with an entity tag of their own', async () => {
      const [whole = {}] = itemsOf(operation, await get(operation));
      const [identity = ''] = identityOf(operation);
      const [first = '', ...others] = Object.keys(whole).filter(
        (name) => !identityOf(operation).includes(name),
      );
      const { text } = await agent('GET', toPath(operation, `fields=${first}&limit=1`, 'xml'));
      expect(text).toContain(`<${first}`);
      for (const other of others) expect(text).not.toContain(`<${other}>`);
      const tags = [];
      for (const query of ['', `fields=${first}`, `fields=${identity}`]) {
        tags.push((await agent('GET', toPath(operation, query))).headers.get('ETag'));
      }
      expect(new Set(tags).size).toBe(3);
    });
  });

  test.each(offering('sort'))('$id returns every order that it offers', async (operation) => {
    const all = itemsOf(operation, await get(operation, 'limit=100'));
    const faults = await faultsOf(operation, 'sort=colour');
    const keys = /^must be one of (.*)$/.exec(String(faults[0]?.message))?.[1]?.split(', ') ?? [];
    const fields = keys.filter((key) => !key.startsWith('-') && key !== 'relevance');
    expect(keys.filter((key) => key.startsWith('-'))).toHaveLength(fields.length);
    for (const key of keys.filter((each) => each !== 'relevance')) {
      const found = await readPages(operation, `sort=${key}`);
      expect(found.map(keyOf).toSorted()).toEqual(all.map(keyOf).toSorted());
      const { next_cursor } = await get(operation, `limit=2&sort=${key}`);
      const other = keys.find((each) => each !== key);
      const moved = await faultsOf(operation, `limit=2&sort=${other}&cursor=${next_cursor}`);
      expect(moved).toMatchObject([{ field: 'cursor' }]);
    }
    const [field = ''] = fields;
    const one = await readPages(operation, `sort=${field}`);
    expect(await readPages(operation, `sort=-${field}`)).toEqual(one.toReversed());
  });
}

onEveryEngine((createDatabase) => {
  useApi(createDatabase, prepare);
  describe('a list', describeGrammar);
});
