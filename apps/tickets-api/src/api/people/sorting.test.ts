import { describe, expect, test } from 'vitest';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import type { TestApi } from '../../tests/api.fixture.ts';
import { useApi } from '../../tests/use-api.fixture.ts';
import { type Send, signIn } from './people.fixture.ts';

let agent: Send;

/** Adds people one after another; the last one never signs in. */
async function prepare(api: TestApi): Promise<void> {
  agent = signIn(api, 'agent', 'grace@example.com', { name: 'Grace' });
  const others = [
    signIn(api, 'customer', 'zoe@example.com', { name: 'ada' }),
    agent,
    signIn(api, 'admin', 'mia@example.com', { name: 'Zoe' }),
    signIn(api, 'customer', 'bob@example.com'),
  ];
  for (const send of others) await send('GET', '/me.json');
  await api.addTicket({ requester: { email: 'carl@example.com', name: 'Carl' } });
}

/** Reads a list page by page; returns the local parts of the addresses, in its order. */
async function list(query: string, format = 'json'): Promise<string[]> {
  const found: string[] = [];
  let cursor = '';
  for (;;) {
    const { status, text, headers } = await agent('GET', `/people.${format}?limit=2&${query}${cursor}`);
    expect(status, text).toBe(200);
    const emails = [...text.matchAll(/(?:"email":"|<email>)(\w+)@/g)].map(([, name = '']) => name);
    found.push(...emails);
    const next = /cursor=([^&>]+)/.exec(headers.get('Link') ?? '')?.[1];
    if (next === undefined) return found;
    cursor = `&cursor=${next}`;
  }
}

async function faultsOf(query: string): Promise<unknown> {
  const { status, json } = await agent('GET', `/people.json?${query}`);
  return [status, json.errors];
}

function sorting(): void {
  test.each([
    ['', ['bob', 'carl', 'grace', 'mia', 'zoe']],
    ['sort=email', ['bob', 'carl', 'grace', 'mia', 'zoe']],
    ['sort=-email&q=z', ['zoe', 'mia']],
    ['sort=-email&role=customer', ['zoe', 'bob']],
    ['sort=name', ['zoe', 'carl', 'grace', 'mia', 'bob']],
    ['sort=-name', ['bob', 'mia', 'grace', 'carl', 'zoe']],
    ['sort=created_at', ['zoe', 'grace', 'mia', 'bob', 'carl']],
    ['sort=-created_at&role=customer,admin', ['bob', 'mia', 'zoe']],
    ['sort=role', ['bob', 'zoe', 'grace', 'mia', 'carl']],
    ['sort=-role,name', ['carl', 'mia', 'grace', 'zoe', 'bob']],
    ['sort=role,-created_at&role=customer,agent', ['bob', 'zoe', 'grace']],
  ])('lists people in the order of %s, in JSON and XML', async (query, expected) => {
    expect(await list(query)).toEqual(expected);
    expect(await list(query, 'xml')).toEqual(expected);
  });

  test('lists a corrected person last by `updated_at`', async () => {
    const { people } = (await agent('GET', '/people.json?q=grace')).json as { people: { id: string }[] };
    await agent('PATCH', `/person/${people[0]?.id}.json`, { phone: '1' });
    expect((await list('sort=updated_at')).at(-1)).toBe('grace');
  });

  test.each([
    ['sort=phone', 'must be one of email, -email, name'],
    ['sort=name,created_at', 'must have a second key only after role'],
    ['sort=role,-role', 'must have a second key only after role'],
    ['sort=role,name,email', 'must not have more than 2 values'],
    ['sort=name&q=ada', 'must be email or -email with q'],
    ['sort=role&q=ada', 'must be email or -email with q'],
  ])('rejects %s and says what to send', async (query, message) => {
    expect(await faultsOf(query)).toMatchObject([
      400,
      [{ field: 'sort', message: expect.stringContaining(message) }],
    ]);
  });
}

onEveryEngine((createDatabase) => {
  useApi(createDatabase, prepare);
  describe('GET /people', sorting);
});
