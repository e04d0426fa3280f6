import { startApi } from '../../tests/api.fixture.ts';

/** Creates the ticket of `body` with an idempotency key, and exits between the commit and the answer. */
const [storageUrl = '', key = '', body = ''] = process.argv.slice(2);
const api = await startApi({ storageUrl });
const { tickets } = api.storage;
const { commit } = tickets;
tickets.commit = async (...given) => {
  await commit(...given);
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => undefined);
};
await api.request('POST', '/tickets.json', JSON.parse(body), { 'Idempotency-Key': key });
