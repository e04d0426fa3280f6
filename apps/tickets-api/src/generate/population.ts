import type { Person } from '../people/person.ts';
import type { PersonStore } from '../people/person-store.ts';
import type { Random } from './random.ts';

/** Who there is in a generated helpdesk. */
export interface Population {
  readonly customers: readonly [Person, ...Person[]];
  readonly agents: readonly [Person, ...Person[]];
}

const givenNames =
  'Ada Bob Chloé Dmitri Elif Fatima Göran Hana Igor Jürgen Kofi Lin Mária Noor Omar Priya'.split(' ');
const familyNames = 'Adams Björk Costa Dubois Eze Fischer García Haddad Ivanov Jensen Kim López Müller'.split(
  ' ',
);

/** One customer for about twenty tickets, one agent for some thousands. */
export function createPopulation(random: Random, tickets: number, since: Date): Population {
  const person = (kind: string, n: number): Person => ({
    id: random.id(since),
    email: `${kind}${n}@${kind === 'agent' ? 'helpdesk' : `company${n % 97}`}.example`,
    name: `${givenNames[random.below(givenNames.length)]} ${familyNames[random.below(familyNames.length)]}`,
    created_at: since.toISOString(),
  });
  const many = (kind: string, count: number): [Person, ...Person[]] => [
    person(kind, 0),
    ...Array.from({ length: Math.ceil(count) - 1 }, (_, n) => person(kind, n + 1)),
  ];
  return {
    customers: many('customer', Math.max(5, tickets / 20)),
    agents: many('agent', Math.max(3, tickets / 10_000)),
  };
}

const AT_ONCE = 256;

/** Adds them to a database, where some may be already: those keep their ids. */
export async function addPopulation(
  store: Pick<PersonStore, 'ensure'>,
  { customers, agents }: Population,
): Promise<Population> {
  const added: Person[] = [];
  const all = [...agents, ...customers];
  for (let i = 0; i < all.length; i += AT_ONCE) {
    added.push(...(await Promise.all(all.slice(i, i + AT_ONCE).map((person) => store.ensure(person)))));
  }
  return {
    agents: added.slice(0, agents.length) as [Person, ...Person[]],
    customers: added.slice(agents.length) as [Person, ...Person[]],
  };
}
