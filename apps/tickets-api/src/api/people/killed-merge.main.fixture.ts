import { startApi } from '../../tests/api.fixture.ts';

/** Merges a person into another in the database of a URL, and kills its own process after a number of commits. */
const [storageUrl = '', id = '', otherId = '', commits = ''] = process.argv.slice(2);
const api = await startApi({ storageUrl });
const { tickets } = api.storage;
const { commit } = tickets;
let left = Number(commits);
tickets.commit = async (...given) => {
  const outcome = await commit(...given);
  if (--left === 0) process.kill(process.pid, 'SIGKILL');
  return outcome;
};
await api.request('POST', `/person/${id}/merge.json`, { person_id: otherId });
