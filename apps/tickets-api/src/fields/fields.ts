import { AppError } from '@keydesk/http';
import { staleVersion } from '../formats/read-only.ts';
import { type RepeatableRequest, toRequestRecord, usedOtherwise } from '../idempotency.ts';
import type { Viewer } from '../people/viewer.ts';
import { assertAdmin } from '../tickets/permissions.ts';
import type { RecordedRequest } from '../tickets/ticket-commit.ts';
import type { Settled } from '../tickets/ticket-writer.ts';
import { assertConsistent, type ToContent, withContent } from './edits.ts';
import type { FieldCatalogue } from './field-catalogue.ts';
import { createFieldSet } from './field-set.ts';
import type { FieldStore } from './field-store.ts';
import type { NewField, TicketField } from './ticket-field.ts';

export interface FieldsDeps {
  store: FieldStore;
  catalogue: Pick<FieldCatalogue, 'forget'>;
  now: () => Date;
  newId: () => string;
}

/** Whether the stored version is the one the viewer means to change. */
export type Precondition = (version: number) => boolean;

/** What viewers can do with definitions of custom fields. For customers there are those that they see. */
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
  ): Promise<Settled<TicketField>>;
  /** @throws {AppError} `not_found`, `forbidden`, `precondition_failed`, and whatever `toContent` throws */
  change(
    viewer: Viewer,
    id: string,
    toContent: ToContent,
    precondition: Precondition,
  ): Promise<Settled<TicketField>>;
  /** Resolves with the definition as it was last; values stay. @throws {AppError} as `change` */
  remove(viewer: Viewer, id: string, precondition: Precondition): Promise<Settled<TicketField>>;
}

/** Of racing changes one succeeds each time, and few people define fields. */
const MAX_ATTEMPTS = 50;

export function createFields({ store, catalogue, now, newId }: FieldsDeps): Fields {
  async function get(viewer: Viewer, id: string): Promise<TicketField> {
    const field = await store.find(id);
    if (field && canSee(viewer, field)) return field;
    throw new AppError('not_found', 'There is no field with this id.');
  }

  /** Applies `toNext` to the current definition, again when another change comes first; `undefined` removes it. */
  async function settle(
    viewer: Viewer,
    id: string,
    precondition: Precondition,
    toNext: (current: TicketField) => TicketField | undefined,
  ): Promise<Settled<TicketField>> {
    for (let i = 0; i < MAX_ATTEMPTS; i++) {
      const current = await get(viewer, id);
      assertAdmin(viewer, 'change fields');
      if (!precondition(current.version)) throw staleVersion(current, 'field');
      const next = toNext(current);
      const answer = next ?? current;
      if (next === current) return { answer, hasChanged: false, isReplayed: false };
      if (await write(current, next)) return { answer, hasChanged: true, isReplayed: false };
    }
    throw new AppError('unavailable', 'Too many changes of this field at once; try again.', {
      headers: { 'Retry-After': '1' },
    });
  }

  async function write({ id, version }: TicketField, next: TicketField | undefined): Promise<boolean> {
    try {
      return await (next ? store.replace(next, version) : store.remove(id, version));
    } finally {
      catalogue.forget();
    }
  }

  async function insert(field: TicketField, request?: RecordedRequest) {
    try {
      return await store.add(field, request);
    } finally {
      catalogue.forget();
    }
  }

  return {
    get,
    async list(viewer) {
      const { definitions } = createFieldSet(await store.list());
      return definitions.filter((field) => canSee(viewer, field));
    },
    async add(viewer, input, requests = []) {
      assertAdmin(viewer, 'define fields');
      assertConsistent(input);
      const at = now();
      const field = createField(input, { id: newId(), now: at });
      const records = requests.map((request) => toRequestRecord(request, at));
      const recorded = records.length > 0 ? { records, answer: field, ticketId: null } : undefined;
      const outcome = await insert(field, recorded);
      if (outcome.outcome === 'mismatch') throw usedOtherwise(outcome.key);
      const isReplayed = outcome.outcome === 'replayed';
      return { answer: isReplayed ? (outcome.answer as TicketField) : field, hasChanged: true, isReplayed };
    },
    change: (viewer, id, toContent, precondition) =>
      settle(viewer, id, precondition, (current) => {
        const content = toContent(current);
        assertConsistent(content);
        return withContent(current, content, now());
      }),
    remove: (viewer, id, precondition) => settle(viewer, id, precondition, () => undefined),
  };
}

function canSee({ isStaff }: Viewer, { visible_to_customers }: TicketField): boolean {
  return isStaff || visible_to_customers;
}

function createField({ key, ...content }: NewField, { id, now }: { id: string; now: Date }): TicketField {
  const at = now.toISOString();
  return Object.freeze({ id, key, ...content, created_at: at, updated_at: at, version: 1 });
}
