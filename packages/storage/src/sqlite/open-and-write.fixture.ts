import { openSqlite } from './sqlite.ts';

/** Opens the database at the given time, concurrently with other processes, writes one note and closes it. */
const [path = '', startAt] = process.argv.slice(2);
while (Date.now() < Number(startAt));
const { prepare, write, close } = openSqlite({
  path,
  migrations: ['CREATE TABLE notes (text TEXT UNIQUE) STRICT'],
});
await write(() => prepare('INSERT INTO notes VALUES (?)').run(String(process.pid)));
await close();
