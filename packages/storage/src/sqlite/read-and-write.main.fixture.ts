import { openSqlite } from './sqlite.ts';

/** Prints the notes of a database and the result of writing another one. */
const [path = ''] = process.argv.slice(2);
const { prepare, read, write, close } = openSqlite({
  path,
  migrations: ['CREATE TABLE notes (text TEXT UNIQUE) STRICT'],
});
const notes = read(() => prepare('SELECT text FROM notes').all());
const outcome = await write(() => prepare('INSERT INTO notes VALUES (?)').run('new')).then(
  () => 'stored',
  (err: { code: string; message: string }) => `${err.code}: ${err.message}`,
);
process.stdout.write(JSON.stringify({ notes, outcome }));
await close();
