import { AppError } from '@keydesk/http';
import { staleVersion } from '../formats/read-only.ts';
import { type RepeatableRequest, toRequestRecord } from '../idempotency.ts';
import type { Viewer } from '../people/viewer.ts';
import { orFirst, type Settled, toRecorded, toSettled } from '../replay.ts';
import { retryWhenStale } from '../retry-when-stale.ts';
import { assertAdmin } from '../tickets/permissions.ts';
import type { CommitOutcome, RecordedRequest } from '../tickets/ticket-commit.ts';
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
  /** @throws {AppError} `not_found`, `forbidden`, `precondition_failed`, `idempotency_mismatch`, and whatever `toContent` throws */
  change(
    viewer: Viewer,
    id: string,
    toContent: ToContent,
    precondition: Precondition,
    requests?: readonly RepeatableRequest[],
  ): Promise<Settled<TicketField>>;
  /** Resolves with the definition as it was last; values stay. @throws {AppError} as `change` */
  remove(
    viewer: Viewer,
    id: string,
    precondition: Precondition,
    requests?: readonly RepeatableRequest[],
  ): Promise<Settled<TicketField>>;
}

/** No definition has it. */
const noId = '00000000-0000-7000-8000-000000000000';

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
    requests: readonly RepeatableRequest[] = [],
    toNext: (current: TicketField) => TicketField | undefined,
  ): Promise<Settled<TicketField>> {
    const records = requests.map((request) => toRequestRecord(request, now()));
    const attempt = async () => {
      const current = await get(viewer, id);
      assertAdmin(viewer, 'change fields');
      const next = toNext(current);
      const settled = { answer: next ?? current, hasChanged: next !== current, isReplayed: false };
      const request = toRecorded(records, settled, null);
      if (!settled.hasChanged && !request) return settled;
      const { version } = current;
      const write = () => (next ? store.replace(next, version, request) : store.remove(id, version, request));
      return toSettled(await commit(write), settled);
    };
    return retryWhenStale('field', () => orFirst(attempt, records, replayFrom(store)));
  }

  async function commit(write: () => Promise<CommitOutcome>): Promise<CommitOutcome> {
    try {
      return await write();
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
      const added = { answer: field, hasChanged: true, isReplayed: false };
      const records = requests.map((request) => toRequestRecord(request, at));
      const write = () => store.add(field, toRecorded(records, added, null));
      return toSettled(await commit(write), added) ?? added;
    },
    change: (viewer, id, toContent, precondition, requests) =>
      settle(viewer, id, requests, (current) => {
        assertExpected(current, precondition);
        const content = toContent(current);
        assertConsistent(content);
        return withContent(current, content, now());
      }),
    remove: (viewer, id, precondition, requests) =>
      settle(viewer, id, requests, (current) => {
        assertExpected(current, precondition);
        return undefined;
      }),
  };
}

/** A removal that is always stale, for versions count from 1: a request that was committed before is replayed all the same. */
function replayFrom(store: FieldStore) {
  return (request: RecordedRequest) => store.remove(noId, 0, request);
}

function assertExpected(current: TicketField, precondition: Precondition): void {
  if (!precondition(current.version)) throw staleVersion(current, 'field');
}

function canSee({ isStaff }: Viewer, { visible_to_customers }: TicketField): boolean {
  return isStaff || visible_to_customers;
}

function createField({ key, ...content }: NewField, { id, now }: { id: string; now: Date }): TicketField {
  const at = now.toISOString();
  return Object.freeze({ id, key, ...content, created_at: at, updated_at: at, version: 1 });
}
