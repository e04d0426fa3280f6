import type { Person } from '../helpdesk/people/person.ts';
import { ensurePerson } from '../helpdesk/people/person-record.ts';
import type { PersonStore } from '../helpdesk/people/person-store.ts';
import type { Random } from './random.ts';

/** People of a generated helpdesk. */
export interface Population {
  readonly customers: readonly [Person, ...Person[]];
  readonly agents: readonly [Person, ...Person[]];
}

const givenNames =
  'Ada Bob Chloé Dmitri Elif Fatima Göran Hana Igor Jürgen Kofi Lin Mária Noor Omar Priya'.split(' ');
const familyNames = 'Adams Björk Costa Dubois Eze Fischer García Haddad Ivanov Jensen Kim López Müller'.split(
  ' ',
);

/** Person to be added. */
type Candidate = Parameters<typeof ensurePerson>[1];

/**
 * Adds one customer for about twenty tickets and one agent for some thousands. Existing people with the same addresses
 * keep their ids.
 */
export async function addPopulation(
  store: PersonStore,
  random: Random,
  { tickets, since }: { tickets: number; since: Date },
): Promise<Population> {
  const toCandidate = (kind: string, n: number): Candidate => ({
    id: random.id(since),
    email: `${kind}${n}@${kind === 'agent' ? 'helpdesk' : `company${n % 97}`}.example`,
    name: `${givenNames[random.below(givenNames.length)]} ${familyNames[random.below(familyNames.length)]}`,
  });
  const toCandidates = (kind: string, count: number) =>
    Array.from({ length: Math.ceil(count) }, (_, n) => toCandidate(kind, n));
  const customers = toCandidates('customer', Math.max(5, tickets / 20));
  const agents = toCandidates('agent', Math.max(3, tickets / 10_000));
  return { agents: await addAll(store, agents, since), customers: await addAll(store, customers, since) };
}

const BATCH_SIZE = 256;

async function addAll(store: PersonStore, candidates: readonly Candidate[], since: Date) {
  const added: Person[] = [];
  for (let i = 0; i < candidates.length; i += BATCH_SIZE) {
    const some = candidates.slice(i, i + BATCH_SIZE);
    added.push(...(await Promise.all(some.map((each) => ensurePerson(store, each, since)))));
  }
  return added as [Person, ...Person[]];
}
