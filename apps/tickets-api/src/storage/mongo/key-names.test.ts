import { openMongo } from '@keydesk/storage/mongo';
import { describeWith } from '@keydesk/testing';
import { expect, it } from 'vitest';
import { newReference } from '../../api/tickets/new-ticket.fixture.ts';
import { firstPersonRecord } from '../../helpdesk/people/person-record.ts';
import { createMongoDatabase } from '../test-database.fixture.ts';

describeWith('mongodb', 'people that an earlier version stored in MongoDB', (url) => {
  it('are listed in order of name', async () => {
    const database = await createMongoDatabase(url);
    const storage = await database.open();
    const names = ['bob', null, 'Carl', 'Ada'];
    for (const name of names) {
      await storage.people.write([{ record: firstPersonRecord(newReference({ name }), new Date(0)) }]);
    }
    await storage.close();
    await removeNameKeys(database.storageUrl);

    const [first, second] = await Promise.all([database.open(), database.open()]);
    const listed = await second.people.list({ sort: { field: 'name', direction: 'asc' }, limit: 10 });
    expect(listed.map(({ person }) => person.name)).toEqual(['Ada', 'bob', 'Carl', null]);
    await Promise.all([first.close(), second.close()]);
    await database.drop();
  });
});

async function removeNameKeys(storageUrl: string): Promise<void> {
  const connection = await openMongo({ url: storageUrl, database: storageUrl.split(/[/?]/)[3] ?? '' });
  await connection.collection('people').updateMany({}, { $unset: { name_key: '' } });
  await connection.close();
}
