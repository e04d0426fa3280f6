import { describe, expect, test } from 'vitest';
import { defaultRights, optionalRights, rightNames } from '../../helpdesk/roles/right.ts';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import type { TestDatabase } from '../../storage/test-database.fixture.ts';
import { faultsOf, type Members, useDefinitionsWorld } from '../definitions/definitions-world.fixture.ts';

const asXml = { 'Content-Type': 'application/xml' };
const asForm = { 'Content-Type': 'application/x-www-form-urlencoded' };

function roles(createDatabase: () => Promise<TestDatabase>): void {
  const world = useDefinitionsWorld(createDatabase);

  test('have the default rights, which staff can read; callers get their own at /me', async () => {
    const { admin, agent, customer } = world();
    const { json } = await agent('GET', '/roles.json');
    expect(json.roles).toMatchObject(
      (['admin', 'agent', 'customer'] as const).map((id) => ({
        id,
        rights: defaultRights[id],
        optional_rights: optionalRights[id],
        version: 1,
      })),
    );
    expect((await admin('GET', '/role/customer.json')).json).toMatchObject({ id: 'customer', version: 1 });
    for (const path of ['/roles.json', '/role/customer.json']) {
      expect((await customer('GET', path)).status).toBe(403);
    }
    for (const [send, id] of [
      [admin, 'admin'],
      [agent, 'agent'],
      [customer, 'customer'],
    ] as const) {
      expect((await send('GET', '/me.json')).json.rights).toEqual(defaultRights[id]);
    }
    expect((await agent('GET', '/role/owner.json')).status).toBe(404);
  });

  test('are changed by PUT and PATCH in every format, with a version and an event', async () => {
    const { admin, agent } = world();
    const path = '/role/customer.json';
    const { json: before } = await admin('GET', path);
    const rights = { ...(before.rights as Members), set_priority: false };
    const put = await admin('PUT', path, { ...before, rights });
    expect(put.json).toMatchObject({ rights, version: 2 });
    const xml = await admin('GET', '/role/customer.xml');
    expect(xml.text).toContain('<set_priority>false</set_priority>');
    const same = await admin('PUT', path, xml.text, asXml);
    expect([same.status, same.headers.get('Keydesk-Changed')], same.text).toEqual([200, 'false']);
    const members = Object.entries({ ...rights, solve_tickets: false });
    const form = members.map(([name, value]) => `rights[${name}]=${value}`).join('&');
    expect((await admin('PUT', path, form, asForm)).json).toMatchObject({ rights: { solve_tickets: false } });
    const patched = await admin('PATCH', path, { rights: { solve_tickets: null, set_priority: true } });
    expect(patched.json).toMatchObject({ rights: defaultRights.customer, version: 4 });
    await admin('PATCH', path, { rights: { reopen_tickets: false } });
    expect((await admin('PATCH', path, { rights: null })).json.rights).toEqual(defaultRights.customer);
    const { json } = await agent('GET', '/events.json?type=role&sort=created_at&limit=1');
    expect(json.events).toMatchObject([
      {
        type: 'role.changed',
        resource: { type: 'role', id: 'customer' },
        ticket_id: null,
        actor: { type: 'person', name: 'root@example.com' },
        changes: [{ field: 'rights.set_priority', from: true, to: false }],
        created_at: put.json.updated_at,
      },
    ]);
  });

  test('are changed only by administrators, never by an outdated copy, and once by a repeated request', async () => {
    const { admin, agent, customer } = world();
    const path = '/role/agent.json';
    const { json } = await admin('GET', path);
    const granted = { rights: { purge_tickets: true } };
    for (const send of [agent, customer]) {
      expect((await send('PATCH', path, granted)).status).toBe(403);
      expect((await send('PUT', path, { rights: json.rights })).status).toBe(403);
    }
    const headers = { 'Idempotency-Key': 'grant-purging', 'If-Match': String(json.etag) };
    const answers = [
      await admin('PATCH', path, granted, headers),
      await admin('PATCH', path, granted, headers),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[1]?.headers.get('Idempotency-Replayed')).toBe('true');
    const revoked = { rights: { purge_tickets: false } };
    const stale = await admin('PATCH', '/role/agent.xml', revoked, { 'If-Match': String(json.etag) });
    expect([stale.status, stale.text]).toEqual([412, expect.stringContaining('<current><id>agent</id>')]);
    const racers = Array.from({ length: 6 }, (_, i) =>
      (i % 2 ? world().adminElsewhere : admin)('PATCH', path, revoked, {
        'If-Match': String(answers[0]?.json.etag),
      }),
    );
    const statuses = (await Promise.all(racers)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, ...Array(5).fill(412)]);
  });

  test('keep their fixed rights, and can’t be added or removed', async () => {
    const { admin } = world();
    for (const id of ['customer', 'agent', 'admin'] as const) {
      const path = `/role/${id}.json`;
      const inverted = Object.fromEntries(rightNames.map((name) => [name, !defaultRights[id][name]]));
      const refused = await admin('PUT', path, { rights: inverted });
      const fixed = rightNames.filter((name) => !optionalRights[id].includes(name));
      expect([refused.status, faultsOf(refused)]).toEqual([
        400,
        fixed.map(
          (name) =>
            `rights.${name} must be ${defaultRights[id][name]}: this right of the role ${id} is fixed`,
        ),
      ]);
      expect((await admin('PUT', path, { id: 'owner' })).status).toBe(400);
      expect((await admin('PATCH', path, { rights: { fly: true } })).status).toBe(400);
      expect((await admin('PATCH', path, { rights: { set_priority: 'yes' } })).status).toBe(400);
      expect((await admin('DELETE', path)).status).toBe(405);
    }
    expect((await admin('POST', '/roles.json', { id: 'owner' })).status).toBe(405);
  });
}

describe('roles', () => {
  onEveryEngine(roles);
});
