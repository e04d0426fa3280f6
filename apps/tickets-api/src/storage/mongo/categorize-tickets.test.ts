import { openMongo } from '@keydesk/storage/mongo';
import { describeWith } from '@keydesk/testing';
import { expect, it } from 'vitest';
import { changed, newTicket } from '../../api/tickets/new-ticket.fixture.ts';
import { adding, changing } from '../../helpdesk/commit/ticket-commit.fixture.ts';
import { createMongoDatabase } from '../test-database.fixture.ts';

const solvedAt = '2026-03-02T12:00:00.000Z';

describeWith('mongodb', 'migration of ticket statuses in MongoDB', (url) => {
  it('adds status categories once, and keeps closing solved tickets', async () => {
    const database = await createMongoDatabase(url);
    const [hold, solved] = [
      newTicket({ status: 'hold' }),
      newTicket({ status: 'solved', solved_at: solvedAt }),
    ];
    const storage = await database.open();
    await storage.tickets.commit([adding(hold), adding(solved)]);
    await storage.close();
    await undoMigration(database.storageUrl);

    const [first, second] = await Promise.all([database.open(), database.open()]);
    expect((await first.tickets.find(hold.id))?.ticket).toStrictEqual(hold);
    const due = await second.tickets.listDue('solved', new Date(), 10);
    expect(due.map(({ ticket }) => ticket)).toStrictEqual([solved]);
    const next = changed(hold, { status: 'in_review', status_category: 'pending' });
    await first.tickets.commit([changing(next)]);
    await Promise.all([first.close(), second.close()]);

    const third = await database.open();
    expect((await third.tickets.find(hold.id))?.ticket).toStrictEqual(next);
    await third.close();
    await database.drop();
  });
});

/** Removes the fields of this migration and restores the earlier index. */
async function undoMigration(storageUrl: string): Promise<void> {
  const connection = await openMongo({ url: storageUrl, database: storageUrl.split(/[/?]/)[3] ?? '' });
  const tickets = connection.collection('tickets');
  await tickets.updateMany({}, { $unset: { status_category: '' } });
  await tickets.dropIndex('due_solved_category');
  const partialFilterExpression = { is_deleted: false, status: 'solved' };
  await tickets.createIndex({ solved_at: 1, _id: 1 }, { name: 'due_solved', partialFilterExpression });
  await connection.collection<{ _id: string }>('upgrades').deleteOne({ _id: 'status categories' });
  await connection.close();
}
