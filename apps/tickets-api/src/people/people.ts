import { AppError, type FieldError } from '@keydesk/http';
import { createMemory } from './memory.ts';
import { type GivenPerson, type Person, type PersonReference, toReference } from './person.ts';
import type { PersonQuery, PersonStore } from './person-store.ts';
import type { Viewer } from './viewer.ts';

export interface PeopleDeps {
  store: PersonStore;
  now: () => Date;
  /** Random: customers are told the ids of people whom they name, and not when others did first (RFC 9562 §6.12). */
  newId: () => string;
}

export interface PeoplePage {
  people: readonly Person[];
  hasMore: boolean;
}

/** What is known of people. Reading never makes one. */
export interface People {
  /** The viewer with the person of their verified address, where there is one. */
  recognise(viewer: Viewer): Promise<Viewer>;
  /** The person of the viewer, made if need be; `undefined` for machines and addresses that are not verified. */
  ensureViewer(viewer: Viewer): Promise<Person | undefined>;
  /**
   * How a ticket or reply refers to somebody whom the viewer names; made if need be. Customers learn nothing of others
   * thereby, and name nobody but in their own ticket: of the person they get the name that they gave.
   *
   * @param field where the request names them
   * @throws {AppError} `validation_failed` when the `id` is not that of the address
   */
  refer(viewer: Viewer, given: GivenPerson, field: string): Promise<PersonReference>;
  /** Staff see everybody, others themselves. @throws {AppError} `not_found` */
  get(viewer: Viewer, id: string): Promise<Person>;
  /** @throws {AppError} `forbidden` for others than staff */
  list(viewer: Viewer, query: PersonQuery): Promise<PeoplePage>;
}

export function createPeople({ store, now, newId }: PeopleDeps): People {
  const known = createMemory<Person>({ now });

  async function find(email: string): Promise<Person | undefined> {
    const remembered = known.get(email);
    if (remembered) return remembered;
    const person = await store.findByEmail(email);
    if (person) known.set(email, person);
    return person;
  }

  async function ensure(email: string, name: string | null): Promise<Person> {
    const remembered = known.get(email);
    if (remembered && (remembered.name !== null || name === null)) return remembered;
    const person = await store.ensure({ id: newId(), email, name, created_at: now().toISOString() });
    known.set(email, person);
    return person;
  }

  return {
    async recognise(viewer) {
      if (viewer.email === undefined) return viewer;
      const person = await find(viewer.email);
      return person ? { ...viewer, person } : viewer;
    },
    async ensureViewer({ email, name }) {
      return email === undefined ? undefined : ensure(email, name);
    },
    async refer(viewer, { id, email, name }, field) {
      const person = await ensure(email, viewer.isStaff ? name : null);
      if (id !== undefined && id !== person.id) throw wrongId(`${field}.id`, email);
      const isOwn = viewer.isStaff || email === viewer.email;
      return isOwn ? toReference(person) : Object.freeze({ id: person.id, email, name });
    },
    async get(viewer, id) {
      const person = viewer.isStaff || viewer.person?.id === id ? await store.find(id) : undefined;
      if (!person) throw new AppError('not_found', 'There is no person with this id.');
      return person;
    },
    async list(viewer, query) {
      if (!viewer.isStaff) throw new AppError('forbidden', 'Only agents and administrators may list people.');
      const found = await store.list({ ...query, limit: query.limit + 1 });
      return { people: found.slice(0, query.limit), hasMore: found.length > query.limit };
    },
  };
}

function wrongId(field: string, email: string): AppError {
  const errors: FieldError[] = [{ field, code: 'invalid_value', message: `is not the id of ${email}` }];
  return new AppError('validation_failed', 'The data is invalid; see errors.', { errors });
}
