import { afterAll, beforeAll, expect } from 'vitest';
import type { DefinitionKind } from '../../helpdesk/definitions/definition.ts';
import { kindNames } from '../../helpdesk/definitions/definition.ts';
import type { Storage } from '../../helpdesk/storage.ts';
import type { TestDatabase } from '../../storage/test-database.fixture.ts';
import { type Answer, startApi, type TestApi } from '../../tests/api.fixture.ts';
import { type Send, signIn } from '../people/people.fixture.ts';

export type Members = Record<string, unknown>;

/** A definition that a test has added. */
export interface Added {
  id: string;
  path: string;
  json: Members;
}

/** Two processes of the API on one database, and people of each role. */
export interface DefinitionsWorld {
  api: TestApi;
  storage: Storage;
  admin: Send;
  agent: Send;
  customer: Send;
  /** The same people, connected to the other process. */
  adminElsewhere: Send;
  agentElsewhere: Send;
  /** Adds a definition with a unique id; a status has the category `pending`. */
  define(kind: DefinitionKind, members?: Members): Promise<Added>;
  /** Resolves with the path of the ticket. */
  addTicket(send: Send, fields?: Members): Promise<string>;
  /** Resolves with the ids of the tickets of a list, in its order. */
  idsOf(send: Send, query: string): Promise<string[]>;
}

/** Starts the world before the tests of the calling suite, and stops it after them. */
export function useDefinitionsWorld(createDatabase: () => Promise<TestDatabase>): () => DefinitionsWorld {
  let database: TestDatabase;
  let apis: TestApi[] = [];
  let world: DefinitionsWorld | undefined;

  beforeAll(async () => {
    database = await createDatabase();
    const { storageUrl } = database;
    const env = { RATE_LIMIT_WRITES_PER_MINUTE: '10000', RATE_LIMIT_READS_PER_MINUTE: '10000' };
    const api = await startApi({ storageUrl, env });
    const elsewhere = await startApi({ storageUrl, env, issuer: api.issuer });
    apis = [api, elsewhere];
    world = createWorld(api, elsewhere);
  });
  afterAll(async () => {
    await Promise.all(apis.toReversed().map((api) => api.stop()));
    await database.drop();
  });

  return () => {
    if (!world) throw new Error('The world of a suite is there in its tests only.');
    return world;
  };
}

function createWorld(api: TestApi, elsewhere: TestApi): DefinitionsWorld {
  const admin = signIn(api, 'admin', 'root@example.com');
  let count = 0;

  async function add(send: Send, path: string, body: Members): Promise<Members> {
    const { status, json, text } = await send('POST', path, body);
    expect(status, text).toBe(201);
    return json;
  }

  return {
    api,
    storage: api.storage,
    admin,
    agent: signIn(api, 'agent', 'grace@example.com'),
    customer: signIn(api, 'customer', 'ada@example.com'),
    adminElsewhere: signIn(elsewhere, 'admin', 'root@example.com'),
    agentElsewhere: signIn(elsewhere, 'agent', 'grace@example.com'),
    async define(kind, members = {}) {
      count += 1;
      const { singular, plural } = kindNames[kind];
      const own = { status: { category: 'pending' }, type: {}, priority: { rank: 25 } }[kind];
      const body = { id: `${kind}_${count}`, title: 'Defined', ...own, ...members };
      const json = await add(admin, `/${plural}.json`, body);
      return { id: String(json.id), path: `/${singular}/${json.id}.json`, json };
    },
    async addTicket(send, fields = {}) {
      const { id } = await add(send, '/tickets.json', { subject: 'It burns', ...fields });
      return `/ticket/${id}.json`;
    },
    async idsOf(send, query) {
      const { json, text } = await send('GET', `/tickets.json?limit=100&${query}`);
      expect(json.tickets, text).toBeDefined();
      return (json.tickets as { id: string }[]).map(({ id }) => id);
    },
  };
}

/** Returns the id of the ticket at this path. */
export function ticketIdOf(path: string): string {
  return path.slice('/ticket/'.length, -'.json'.length);
}

/** Returns the input errors of a response, each with its message. */
export function faultsOf({ json }: Answer): string[] {
  const errors = (json.errors ?? []) as { field: string; message: string }[];
  return errors.map(({ field, message }) => `${field} ${message}`);
}
