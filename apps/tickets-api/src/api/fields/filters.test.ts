import { describeWith } from '@keydesk/testing';
import { describe, expect, test } from 'vitest';
import {
  createMongoDatabase,
  createSqliteDatabase,
  type TestDatabase,
} from '../../storage/test-database.fixture.ts';
import type { Send } from '../people/people.fixture.ts';
import { useFieldsWorld } from './fields-world.fixture.ts';

const offers = { options: ['red', 'blue', 'green'] };

function filters(createDatabase: () => Promise<TestDatabase>): void {
  const world = useFieldsWorld(createDatabase);

  async function find(send: Send, query: string): Promise<string> {
    const { status, json, text } = await send('GET', `/tickets.json?sort=created_at&${query}`);
    expect(status, text).toBe(200);
    return (json.tickets as { subject: string }[]).map(({ subject }) => subject).join('');
  }

  test.each<[type: string, held: unknown[], found: Record<string, string>]>([
    ['integer', [9, 10, -2], { '=10': '1', '[gt]=9': '1', '[lt]=10': '02', '[not]=9': '12' }],
    [
      'decimal',
      ['9.75', '10.5', '-12.5'],
      { '=10.50': '1', '[gt]=9.8': '1', '[lte]=10.50': '012', '[lt]=-3': '2', '[gte]=-12.5': '012' },
    ],
    ['date', ['2026-01-31', '2026-02-01', '1999-12-31'], { '[gte]=2026-01-31': '01', '=1999-12-31': '2' }],
    ['boolean', [true, false, null], { '=true': '0', '[not]=true': '12', '[empty]=true': '2' }],
    ['text', ['10', 'true', '9'], { '=10,true': '01', '[not]=9': '01' }],
    ['select', ['red', 'blue', null], { '=red,green': '0', '[empty]=false': '01', '=retired': '' }],
    [
      'multi_select',
      [['red', 'blue'], ['blue'], []],
      { '=red': '0', '[all]=red,blue': '0', '[not]=red': '12', '[empty]=true': '2' },
    ],
  ])('compare values by type: %s', async (type, held, found) => {
    const { agent, withField, addTicket } = world();
    await withField({ type, ...(type.includes('select') && offers) }, async (key) => {
      for (const [i, value] of held.entries()) {
        await addTicket(agent, { subject: String(i), custom_fields: { [key]: value } });
      }
      for (const [asked, expected] of Object.entries(found)) {
        const own = `external_id[empty]=true&custom_fields.${key}[empty]=false`;
        const isAboutEmpty = asked.includes('[not]') || asked.includes('[empty]');
        const ids = isAboutEmpty ? `id=${await idsOfNewest(agent, held.length)}` : own;
        expect(await find(agent, `${ids}&custom_fields.${key}${asked}`), asked).toBe(expected);
      }
    });
  });

  async function idsOfNewest(send: Send, count: number): Promise<string> {
    const { json } = await send('GET', `/tickets.json?limit=${count}`);
    return (json.tickets as { id: string }[]).map(({ id }) => id).join(',');
  }

  test.each([
    ['integer', '=1.5'],
    ['integer', '[gt]=many'],
    ['decimal', '[lt]=1e3'],
    ['boolean', '=yes'],
    ['boolean', '[gt]=true'],
    ['date', '[gte]=2026-02-30'],
    ['text', '[lt]=z'],
    ['select', '[all]=red'],
  ])('reject an invalid value for a field of type %s: %s', async (type, asked) => {
    const { agent, withField } = world();
    await withField({ type, ...(type.includes('select') && offers) }, async (key) => {
      const { status, json } = await agent('GET', `/tickets.json?custom_fields.${key}${asked}`);
      const [name] = `custom_fields.${key}${asked}`.split('=');
      expect([status, json.errors]).toMatchObject([400, [{ field: name, code: 'invalid_value' }]]);
      expect(JSON.stringify(json.errors)).not.toContain('as text');
    });
  });

  test('list the defined fields in the error of an unknown field; customers get only the visible ones', async () => {
    const { agent, customer, withField } = world();
    await withField({ visible_to_customers: true }, (shown) =>
      withField({}, async (hidden) => {
        for (const [send, asked, known] of [
          [agent, 'unheard_of', `custom_fields.${shown}, custom_fields.${hidden}`],
          [customer, hidden, `custom_fields.${shown}`],
          [customer, 'unheard_of', `custom_fields.${shown}`],
        ] as const) {
          const { status, json } = await send('GET', `/tickets.json?custom_fields.${asked}=x&total=true`);
          const message = `names an unknown field; the known fields are ${known}`;
          expect([status, json.errors]).toEqual([
            400,
            [{ field: `custom_fields.${asked}`, code: 'unknown_parameter', message }],
          ]);
        }
        expect((await customer('GET', `/tickets.xml?custom_fields.${shown}=x`)).status).toBe(200);
      }),
    );
  });
}

describe('filters by custom fields, on SQLite', () => filters(createSqliteDatabase));
describeWith('mongodb', 'filters by custom fields, on MongoDB', (url) =>
  filters(() => createMongoDatabase(url)),
);
