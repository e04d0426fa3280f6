import { afterAll, beforeAll, expect } from 'vitest';
import type { TestDatabase } from '../../storage/test-database.fixture.ts';
import { type Answer, startApi, type TestApi } from '../../tests/api.fixture.ts';
import { type Send, signIn } from '../people/people.fixture.ts';

export type Fields = Record<string, unknown>;

/** Definition that a test has added, with its path. */
export interface Defined {
  key: string;
  path: string;
  json: Fields;
}

/** Two processes of the API on one database, and people of each role. */
export interface FieldsWorld {
  admin: Send;
  agent: Send;
  customer: Send;
  /** The same customer, connected to the other process. */
  customerElsewhere: Send;
  /** Adds a field with a unique key. */
  define(fields?: Fields): Promise<Defined>;
  /** Adds a field while `run` runs, because a required field would affect later tests. */
  withField(fields: Fields, run: (key: string, path: string) => Promise<void>): Promise<void>;
  /** Resolves with the path of the ticket. */
  addTicket(send: Send, fields?: Fields): Promise<string>;
  valuesOf(send: Send, path: string): Promise<Fields>;
}

/** Starts the world before the tests of the calling suite, and stops it after them. */
export function useFieldsWorld(createDatabase: () => Promise<TestDatabase>): () => FieldsWorld {
  let database: TestDatabase;
  let apis: TestApi[] = [];
  let world: FieldsWorld | undefined;

  beforeAll(async () => {
    database = await createDatabase();
    const { storageUrl } = database;
    const api = await startApi({ storageUrl });
    const elsewhere = await startApi({ storageUrl, issuer: api.issuer });
    apis = [api, elsewhere];
    world = createWorld(api, elsewhere);
  });
  afterAll(async () => {
    await Promise.all(apis.map((api) => api.stop()));
    await database.drop();
  });

  return () => {
    if (!world) throw new Error('the world of a suite is there in its tests only');
    return world;
  };
}

function createWorld(api: TestApi, elsewhere: TestApi): FieldsWorld {
  const admin = signIn(api, 'admin', 'root@example.com');
  let count = 0;

  async function add(send: Send, path: string, body: Fields): Promise<Fields> {
    const { status, json, text } = await send('POST', path, body);
    expect(status, text).toBe(201);
    return json;
  }

  async function define(fields: Fields = {}): Promise<Defined> {
    count += 1;
    const field = { key: `field_${count}`, title: 'A field', type: 'text', ...fields };
    const json = await add(admin, '/ticket_fields.json', field);
    return { key: String(json.key), path: `/ticket_field/${json.id}.json`, json };
  }

  return {
    admin,
    agent: signIn(api, 'agent', 'grace@example.com'),
    customer: signIn(api, 'customer', 'ada@example.com'),
    customerElsewhere: signIn(elsewhere, 'customer', 'ada@example.com'),
    define,
    async withField(fields, run) {
      const { key, path } = await define(fields);
      await run(key, path);
      expect((await admin('DELETE', path)).status).toBe(200);
    },
    async addTicket(send, fields = {}) {
      const { id } = await add(send, '/tickets.json', { subject: 'It burns', ...fields });
      return `/ticket/${id}.json`;
    },
    valuesOf: async (send, path) => (await send('GET', path)).json.custom_fields as Fields,
  };
}

/** Returns the fields with errors in a response. */
export function faultsOf({ json }: Answer): string[] | undefined {
  return (json.errors as { field: string }[] | undefined)?.map(({ field }) => field);
}
