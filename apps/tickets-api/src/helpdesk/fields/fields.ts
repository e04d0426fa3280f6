import { AppError } from '@keydesk/errors';
import type { FieldCatalogue } from '../catalogues.ts';
import type { RepeatableRequest } from '../commit/idempotency.ts';
import type { ChangeResult } from '../commit/replay.ts';
import type { DefinitionChange } from '../history/definition-event.ts';
import type { Viewer } from '../people/viewer.ts';
import { assertAdmin } from '../tickets/permissions.ts';
import { createVersionedResource, nextVersion, type ResourceChange } from '../versioned-resource.ts';
import { assertConsistent, type ToContent } from './edits.ts';
import { createFieldSet } from './field-set.ts';
import type { FieldStore } from './field-store.ts';
import type { NewField, TicketField } from './ticket-field.ts';

export interface FieldsDeps {
  store: FieldStore;
  catalogue: Pick<FieldCatalogue, 'invalidate'>;
  now: () => Date;
  newId: () => string;
}

/** Operations on definitions of custom fields. Customers get the fields that are visible to them. */
export interface Fields {
  /** In order of position. */
  list(viewer: Viewer): Promise<readonly TicketField[]>;
  /** @throws {AppError} `not_found` */
  get(viewer: Viewer, id: string): Promise<TicketField>;
  /** @throws {AppError} `forbidden`, `validation_failed`, `conflict` for a key in use or one field too many, `idempotency_mismatch` */
  add(
    viewer: Viewer,
    input: NewField,
    requests?: readonly RepeatableRequest[],
  ): Promise<ChangeResult<TicketField>>;
  /** @throws {AppError} `not_found`, `forbidden`, `precondition_failed`, `idempotency_mismatch`, and whatever `toContent` throws */
  change(change: ResourceChange<TicketField>, toContent: ToContent): Promise<ChangeResult<TicketField>>;
  /** Resolves with the last version of the definition; values stay. @throws {AppError} as `change` */
  remove(change: ResourceChange<TicketField>): Promise<ChangeResult<TicketField>>;
}

/** Id that no definition has. */
const noId = '00000000-0000-7000-8000-000000000000';

export function createFields({ store, catalogue, now, newId }: FieldsDeps): Fields {
  const changes = createVersionedResource<TicketField>({
    what: 'field',
    write: ({ id, version }, next, audited) =>
      next ? store.replace(next, version, audited) : store.remove(id, version, audited),
    writeNothing: (request) => store.remove(noId, 0, { request }),
    invalidate: catalogue.invalidate,
    describe: describeFieldChange,
    now,
    newId,
  });

  async function get(viewer: Viewer, id: string): Promise<TicketField> {
    const field = await store.find(id);
    if (field && canSee(viewer, field)) return field;
    throw new AppError('not_found', 'There is no field with this id.');
  }

  async function load({ viewer, id }: ResourceChange<TicketField>) {
    const current = await get(viewer, id);
    assertAdmin(viewer, 'change fields');
    return { current, toView: (field: TicketField) => field };
  }

  return {
    get,
    async list(viewer) {
      const { definitions } = createFieldSet(await store.list());
      return definitions.filter((field) => canSee(viewer, field));
    },
    async add(viewer, input, requests) {
      assertAdmin(viewer, 'define fields');
      assertConsistent(input);
      const field = createField(input, { id: newId(), now: now() });
      const added = { resource: field, answer: field };
      return changes.add({ viewer, requests }, added, (audited) => store.add(field, audited));
    },
    change: (change, toContent) =>
      changes.change(
        change,
        () => load(change),
        ({ current }) => {
          const content = toContent(current);
          assertConsistent(content);
          return nextVersion(current, content, now());
        },
      ),
    remove: (change) =>
      changes.change(
        change,
        () => load(change),
        () => undefined,
      ),
  };
}

function canSee({ isStaff }: Viewer, { visible_to_customers }: TicketField): boolean {
  return isStaff || visible_to_customers;
}

function createField({ key, ...content }: NewField, { id, now }: { id: string; now: Date }): TicketField {
  const at = now.toISOString();
  return Object.freeze({ id, key, ...content, created_at: at, updated_at: at, version: 1 });
}

/** Returns the change of a field for its event. At least one of the two states is present. */
export function describeFieldChange(
  before: TicketField | undefined,
  after: TicketField | undefined,
): DefinitionChange {
  const { id } = (after ?? before) as TicketField;
  return { resource: { type: 'ticket_field', id }, before, after };
}
