import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { signIn } from '../../../apps/tickets-api/src/api/people/people.fixture.ts';
import {
  createSqliteDatabase,
  type TestDatabase,
} from '../../../apps/tickets-api/src/storage/test-database.fixture.ts';
import { startApi, type TestApi } from '../../../apps/tickets-api/src/tests/api.fixture.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { findFaults } from './verify.ts';

let database: TestDatabase;
let ledger: Ledger;
beforeEach(async () => {
  database = await createSqliteDatabase();
  ledger = createLedger();
  const api = await startApi({ storageUrl: database.storageUrl });
  await writeTicket(api);
  await api.stop();
});
afterEach(() => database.drop());

/** Writes a ticket with an edit, a reply and an edit of the reply, all acknowledged. */
async function writeTicket(api: TestApi): Promise<void> {
  const agent = signIn(api, 'agent', 'grace@example.com');
  const entry = ledger.open('audited', 'Edited');
  const { id } = await api.addTicket({ external_id: 'audited', requester: { email: 'ada@example.com' } });
  const path = `/ticket/${id}`;
  const { json: reply } = await agent('POST', `${path}/replies.json`, { body: 'x' });
  await agent('PUT', `${path}/reply/${reply.id}.json`, { body: 'y' });
  await agent('PUT', `${path}.json`, { subject: 'Edited' });
  Object.assign(entry, { id, version: 4 });
  entry.replies.set(String(reply.id), 'y');
}

async function audit(): Promise<readonly string[]> {
  const storage = await database.open();
  const faults = await findFaults(storage, ledger.entries, new Date(0).toISOString());
  await storage.close();
  return faults.map((fault) => fault.replace(/^\S+: /, ''));
}

it('the audit finds no problem when nothing is lost', async () => {
  expect(await audit()).toEqual([]);
});

it.each([
  ['an event', 'DELETE FROM events WHERE seq = (SELECT max(seq) FROM events)', 'events and versions'],
  ['a reply', 'DELETE FROM replies', 'replies and their events'],
  ['an edit', `UPDATE tickets SET document = json_set(document, '$.subject', 'Old')`, 'the edit'],
  ['a ticket', 'DELETE FROM tickets', 'the ticket is lost'],
  [
    'the change of a ticket',
    `DELETE FROM changes WHERE reader = 'staff' AND resource = 'ticket'`,
    'the change of the ticket',
  ],
  [
    'the latest change of a ticket',
    `UPDATE changes SET at = at - 60000 WHERE reader = 'staff' AND resource = 'ticket'`,
    'the change of the ticket',
  ],
  [
    'the change of a reply',
    `DELETE FROM changes WHERE reader = 'staff' AND resource = 'reply'`,
    'the changes of its replies',
  ],
  [
    'the latest change of a reply',
    `UPDATE changes SET at = at - 60000 WHERE reader = 'staff' AND resource = 'reply'`,
    'the changes of its replies',
  ],
  [
    'a change for the customer',
    `DELETE FROM changes WHERE reader <> 'staff' AND resource = 'ticket'`,
    'the change that the customer sees',
  ],
  [
    'the latest change for the customer',
    `UPDATE changes SET at = at - 60000 WHERE reader <> 'staff' AND resource = 'reply'`,
    'the changes of replies that the customer sees',
  ],
])('the audit detects the loss of %s', async (_, loss, fault) => {
  const sqlite = new DatabaseSync(database.storageUrl.slice('sqlite:'.length));
  sqlite.exec(loss);
  sqlite.close();
  expect((await audit()).map((each) => each.replace(/ do not agree$/, ''))).toContain(fault);
});
