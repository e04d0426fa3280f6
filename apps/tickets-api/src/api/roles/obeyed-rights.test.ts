import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { defaultRights, optionalRights, type Right } from '../../helpdesk/roles/right.ts';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import type { TestDatabase } from '../../storage/test-database.fixture.ts';
import type { Answer } from '../../tests/api.fixture.ts';
import {
  type DefinitionsWorld,
  type Members,
  useDefinitionsWorld,
} from '../definitions/definitions-world.fixture.ts';
import type { Send } from '../people/people.fixture.ts';

/** Maximum age of the roles that a process has cached. */
const STALE_MS = 1_000;

const roleNames = ['customer', 'agent', 'admin'] as const;
type Role = (typeof roleNames)[number];

/** Request that needs a right, on a ticket of the customer. */
type Attempt = (send: Send, world: DefinitionsWorld) => Promise<Answer>;

async function addSolved({ customer, agent, addTicket }: DefinitionsWorld): Promise<string> {
  const path = await addTicket(customer);
  expect((await agent('PUT', path, { status: 'solved' })).status).toBe(200);
  return path;
}

const repliesOf = (path: string) => path.replace('.json', '/replies.json');

const attempts: Readonly<Record<Right, readonly Attempt[]>> = {
  solve_tickets: [
    async (send, { customer, addTicket }) => send('PUT', await addTicket(customer), { status: 'solved' }),
    async (send, { customer, addTicket }) =>
      send('PATCH', (await addTicket(customer)).replace('.json', '.xml'), { status: 'solved' }),
    async (send, { customer, addTicket }) =>
      send('POST', repliesOf(await addTicket(customer)), { body: 'Thanks', status: 'solved' }),
  ],
  reopen_tickets: [
    async (send, world) => send('POST', repliesOf(await addSolved(world)), { body: 'It burns again' }),
  ],
  set_priority: [
    (send) => send('POST', '/tickets.json', { subject: 'x', priority: 'urgent' }),
    async (send, { customer, addTicket }) => send('PUT', await addTicket(customer), { priority: 'low' }),
  ],
  purge_tickets: [
    async (send, { customer, addTicket }) => send('DELETE', `${await addTicket(customer)}?purge=true`),
  ],
  export_events: [
    (send) => send('GET', '/events.json?limit=1'),
    (send) => send('GET', '/events.xml?limit=1&total=true'),
  ],
};

/** Returns the rights that a problem in JSON or XML names. */
function missingRightsOf(answer: Answer): unknown {
  if (!answer.text.startsWith('<')) return answer.json.missing_rights;
  const [, content = ''] = /<missing_rights>(.*?)<\/missing_rights>/.exec(answer.text) ?? [];
  return [...content.matchAll(/<right>(\w+)<\/right>/g)].map(([, name]) => name);
}

/** Every right of every role, in each state that it can have. */
const rows = roleNames.flatMap((role) =>
  (Object.keys(attempts) as Right[]).flatMap((right) => {
    const isOptional = optionalRights[role].includes(right);
    const states = isOptional ? [false, true] : [defaultRights[role][right]];
    return states.map((isGranted) => ({ role, right, isGranted, isOptional }));
  }),
);

function obeyedRights(createDatabase: () => Promise<TestDatabase>): void {
  const world = useDefinitionsWorld(createDatabase);
  const senderOf = (role: Role) => world()[role];
  const grant = async (role: Role, right: Right, isGranted: boolean | null) => {
    const { status, text } = await world().admin('PATCH', `/role/${role}.json`, {
      rights: { [right]: isGranted },
    });
    expect(status, text).toBe(200);
  };

  test.each(rows)('$right of $role: $isGranted', async ({ role, right, isGranted, isOptional }) => {
    if (isOptional) await grant(role, right, isGranted);
    for (const attempt of attempts[right]) {
      const answer = await attempt(senderOf(role), world());
      const { status, text } = answer;
      if (isGranted) {
        expect(status, text).toBeLessThan(300);
        continue;
      }
      expect(status, text).toBe(403);
      expect(missingRightsOf(answer)).toEqual([right]);
      expect(text).toContain(right);
    }
    if (isOptional) await grant(role, right, null);
  });

  test('are listed together when several are missing', async () => {
    const { admin, customer, addTicket } = world();
    const rights = { solve_tickets: false, set_priority: false };
    await admin('PATCH', '/role/customer.json', { rights });
    const path = await addTicket(customer);
    const { status, json } = await customer('PUT', path, { status: 'solved', priority: 'high', tags: ['x'] });
    expect([status, json.missing_rights]).toEqual([403, ['solve_tickets', 'set_priority']]);
    expect((json.errors as Members[]).map(({ field }) => field)).toEqual(['tags', 'status', 'priority']);
    expect((await customer('PUT', path, { priority: 'normal', subject: 'Mine' })).status).toBe(200);
    await admin('PATCH', '/role/customer.json', { rights: null });
  });

  test('without reopen_tickets let customers reply with the status solved, and staff on their behalf', async () => {
    await grant('customer', 'reopen_tickets', false);
    const { customer, agent } = world();
    const path = await addSolved(world());
    const thanks = await customer('POST', repliesOf(path), { body: 'Thanks', status: 'solved' });
    expect([thanks.status, (await customer('GET', path)).json.status], thanks.text).toEqual([201, 'solved']);
    const passedOn = { body: 'Again', author: { email: 'ada@example.com' } };
    expect((await agent('POST', repliesOf(path), passedOn)).status).toBe(201);
    expect((await customer('GET', path)).json.status).toBe('open');
    await agent('PUT', path, { status: 'pending' });
    expect((await customer('POST', repliesOf(path), { body: 'An answer' })).status).toBe(201);
    expect((await customer('GET', path)).json.status).toBe('open');
    await grant('customer', 'reopen_tickets', true);
  });

  test('take effect in another process within a second, and change only the fields_tag of that role', async () => {
    const { admin, agent, agentElsewhere, customer, addTicket } = world();
    const path = await addTicket(customer);
    expect((await agentElsewhere('GET', '/me.json')).json.rights).toEqual(defaultRights.agent);
    const tagOf = async (send: Send) => (await send('GET', '/changes.json?since=now')).json.fields_tag;
    const before = [await tagOf(agent), await tagOf(customer), await tagOf(admin)];
    await grant('agent', 'purge_tickets', true);
    const after = [await tagOf(agent), await tagOf(customer), await tagOf(admin)];
    expect(after.map((tag, i) => tag === before[i])).toEqual([false, true, true]);
    await sleep(STALE_MS);
    expect((await agentElsewhere('DELETE', `${path}?purge=true`)).status).toBe(200);
    await grant('agent', 'purge_tickets', false);
    await sleep(STALE_MS);
    expect((await agentElsewhere('DELETE', `${await addTicket(agent)}?purge=true`)).status).toBe(403);
    expect(await tagOf(agent)).not.toBe(after[0]);
  });

  test('do not change the customer view of a ticket, its events and its feed position', async () => {
    const { customer, addTicket, admin } = world();
    const path = await addTicket(customer, { priority: 'high' });
    const read = async () => {
      const answers = [
        await customer('GET', path),
        await customer('GET', path.replace('.json', '.xml')),
        await customer('GET', '/tickets.json'),
        await customer('GET', path.replace('.json', '/events.json')),
        await customer('GET', repliesOf(path)),
      ];
      const { json } = await customer('GET', '/changes.json');
      const seen = answers.map(({ text, headers }) => [text, headers.get('ETag')]);
      return [...seen, json.changes, json.position];
    };
    const before = await read();
    const all = Object.fromEntries(optionalRights.customer.map((right) => [right, false]));
    await admin('PATCH', '/role/customer.json', { rights: all });
    expect(await read()).toEqual(before);
    await admin('PATCH', '/role/customer.json', { rights: null });
    expect(await read()).toEqual(before);
  });
}

describe('rights', () => {
  onEveryEngine(obeyedRights);
});
