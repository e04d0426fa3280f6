import { openMongo } from '@keydesk/storage/mongo';
import { describeWith } from '@keydesk/testing';
import { expect, it } from 'vitest';
import { newReference } from '../../api/tickets/new-ticket.fixture.ts';
import { firstPersonRecord, toMasked } from '../../helpdesk/people/person-record.ts';
import { createMongoDatabase } from '../test-database.fixture.ts';

describeWith('mongodb', 'migration of staff addresses in MongoDB', (url) => {
  it('marks the masking of staff as pending, once', async () => {
    const database = await createMongoDatabase(url);
    const roles = ['agent', 'admin', 'customer', null] as const;
    const records = roles.map((role) => firstPersonRecord({ ...newReference(), role }, new Date(0)));
    const storage = await database.open();
    for (const record of records) await storage.people.write([{ record }]);
    await storage.close();
    await takeAway(database.storageUrl);

    const [first, second] = await Promise.all([database.open(), database.open()]);
    const [agent, admin, ...others] = records;
    const staff = [agent, admin].map((record) => ({ ...record, maskingSince: 0 }));
    const pending = await second.people.listPendingMaskings(10);
    expect(new Set(pending)).toEqual(new Set(staff));
    for (const record of others) expect(await first.people.find(record.person.id)).toStrictEqual(record);
    for (const record of pending)
      await first.people.write([{ expectedVersion: 1, record: toMasked(record) }]);
    await Promise.all([first.close(), second.close()]);

    const third = await database.open();
    expect(await third.people.listPendingMaskings(10)).toEqual([]);
    await third.close();
    await database.drop();
  });
});

/** Takes away what an earlier version did not write. */
async function takeAway(storageUrl: string): Promise<void> {
  const connection = await openMongo({ url: storageUrl, database: storageUrl.split(/[/?]/)[3] ?? '' });
  await connection.collection('people').updateMany({}, { $unset: { 'record.hasBeenStaff': '' } });
  await connection.close();
}
