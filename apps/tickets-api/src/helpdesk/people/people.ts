import { AppError, type FieldError } from '@keydesk/errors';
import { invalidData } from '../../wire/faults/validation-errors.ts';
import { countMembers, type Total } from '../list/total.ts';
import type { MaskAtSignIn } from './masking.ts';
import type { AdoptTickets } from './merged-tickets.ts';
import { type GivenPerson, type Person, type PersonReference, toReference } from './person.ts';
import { type PeopleQuery, roleOrder } from './person-order.ts';
import { ensurePerson, findStaff } from './person-record.ts';
import type { PersonQuery, PersonStore } from './person-store.ts';
import { createSignIns } from './sign-in.ts';
import type { Viewer } from './viewer.ts';

export interface PeopleDeps {
  store: PersonStore;
  now: () => Date;
  /**
   * Creates random ids. Customers get the ids of people whom they name, and a time in the id would reveal when other
   * users first named them (RFC 9562 §6.12).
   */
  newId: () => string;
  adopt: AdoptTickets;
  mask: MaskAtSignIn;
}

export interface PeoplePage {
  people: readonly Person[];
  hasMore: boolean;
}

/** Operations on people, and resolution of the people that requests name. */
export interface People {
  /**
   * Returns the viewer with the person of their account, and stores new data from the token. The first sign-in adds a
   * person, or claims the person without an account who has the verified address.
   */
  withPerson(viewer: Viewer): Promise<Viewer>;
  /**
   * Returns the reference of a ticket or reply to a person whom the viewer names, and adds the person if needed.
   * Customers can refer to other people only by address, and get back only the name that they sent.
   *
   * @param field the member of the request that names the person
   * @throws {AppError} `validation_failed` when the `id` belongs to another address or to no person
   */
  refer(viewer: Viewer, given: GivenPerson, field: string): Promise<PersonReference>;
  /**
   * Returns the reference to an assignee. A person who has never signed in has no role yet, and is accepted.
   *
   * @throws {AppError} `validation_failed` as `refer`, and for a customer
   */
  referToAssignee(viewer: Viewer, given: GivenPerson): Promise<PersonReference>;
  /** Returns the ids of the people who are or were staff. */
  findStaff(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Returns a person: any one to staff, and only themselves to customers. @throws {AppError} `not_found` */
  get(viewer: Viewer, id: string): Promise<Person>;
  /** Returns a page of people. @throws {AppError} `forbidden` unless the viewer is staff */
  list(viewer: Viewer, query: PeopleQuery): Promise<PeoplePage>;
  /** Returns the number of people on all pages of a list. @throws {AppError} `forbidden` unless the viewer is staff */
  count(viewer: Viewer, query: PeopleQuery): Promise<Total>;
}

export function createPeople({ store, now, newId, adopt, mask }: PeopleDeps): People {
  const findViewer = createSignIns({ store, now, newId, adopt, mask });

  async function findById(viewer: Viewer, id: string, field: string): Promise<Person> {
    const isOwn = viewer.person?.id === id;
    const record = viewer.isStaff || isOwn ? await store.find(id) : undefined;
    if (!record) throw invalid(`${field}.id`, 'is not the id of a person; send an email instead');
    return record.mergedInto === undefined ? record.person : findById(viewer, record.mergedInto, field);
  }

  async function findGiven(viewer: Viewer, { id, email, name }: GivenPerson, field: string): Promise<Person> {
    if (email === null) return findById(viewer, id ?? '', field);
    const candidate = { id: newId(), email, name: viewer.isStaff ? name : null };
    const person = await ensurePerson(store, candidate, now());
    if (id !== undefined && id !== person.id) throw invalid(`${field}.id`, `is not the id of ${email}`);
    return person;
  }

  return {
    async withPerson(viewer) {
      if (!viewer.signIn) return viewer;
      const record = await findViewer(viewer.signIn);
      return record ? { ...viewer, person: record.person } : viewer;
    },
    async refer(viewer, given, field) {
      const person = await findGiven(viewer, given, field);
      const { email, name } = given;
      const isOwn = viewer.isStaff || person.id === viewer.person?.id;
      return isOwn ? toReference(person) : Object.freeze({ id: person.id, email, name });
    },
    async referToAssignee(viewer, given) {
      const person = await findGiven(viewer, given, 'assignee');
      if (person.role === 'customer')
        throw invalid('assignee', 'is a customer; send an agent or administrator');
      return toReference(person);
    },
    findStaff: (ids) => findStaff(store, ids),
    async get(viewer, id) {
      const record = viewer.isStaff || viewer.person?.id === id ? await store.find(id) : undefined;
      if (!record) throw new AppError('not_found', 'There is no person with this id.');
      if (record.mergedInto !== undefined) throw mergedPerson(record.mergedInto);
      return record.person;
    },
    async list(viewer, query) {
      assertMayList(viewer);
      const found = await listPeople(store, { ...query, limit: query.limit + 1 });
      return { people: found.slice(0, query.limit), hasMore: found.length > query.limit };
    },
    async count(viewer, { prefix, roles }) {
      assertMayList(viewer);
      return countMembers((limit) => store.count({ prefix, roles, limit }));
    },
  };
}

/** Lists people; a list divided by role has one role after the other. */
async function listPeople(
  store: Pick<PersonStore, 'list'>,
  { byRole, after, limit, ...query }: PeopleQuery,
): Promise<readonly Person[]> {
  const list = async (part: Partial<PersonQuery>) =>
    (await store.list({ ...query, after, limit, ...part })).map(({ person }) => person);
  if (!byRole) return list({});
  const order = byRole === 'asc' ? roleOrder : roleOrder.toReversed();
  const wanted = order.filter((role) => !query.roles || (role !== null && query.roles.includes(role)));
  const first = after ? wanted.indexOf(after.role ?? null) : 0;
  const found: Person[] = [];
  for (const [i, role] of wanted.slice(first).entries()) {
    if (found.length === limit) break;
    const part = { roles: [role], limit: limit - found.length };
    found.push(...(await list(i === 0 ? part : { ...part, after: undefined })));
  }
  return found;
}

function assertMayList({ isStaff }: Viewer): void {
  if (!isStaff) throw new AppError('forbidden', 'Only agents and administrators may list people.');
}

/** Creates the error for a person who was merged into another. */
export function mergedPerson(survivorId: string): AppError {
  return new AppError('not_found', `The person was merged into another; GET /person/${survivorId} instead.`);
}

function invalid(field: string, message: string): AppError {
  const errors: FieldError[] = [{ field, code: 'invalid_value', message }];
  return invalidData(errors);
}
