import { randomInt } from 'node:crypto';
import { deepFreeze } from '@keydesk/storage/deep-freeze';
import { guardMongo, isDuplicateKey } from '@keydesk/storage/mongo';
import { createDocumentSchema, createPartSchema } from '@keydesk/storage/mongo-documents';
import { type ClientSession, type Connection, type Model, trusted } from 'mongoose';
import { findBuiltIn, maxAdded } from '../../../helpdesk/definitions/built-in.ts';
import {
  definedAlready,
  definitionInUse,
  isReplacement,
  noReplacement,
  tooManyDefinitions,
} from '../../../helpdesk/definitions/conflicts.ts';
import type { Definition, DefinitionRef } from '../../../helpdesk/definitions/definition.ts';
import type { DefinitionStore } from '../../../helpdesk/definitions/definition-store.ts';
import { type AdditionGateDocument, passGate } from '../commit/addition-gate.ts';
import { createCommitAudited, type RequestRecordDocument } from '../commit/commit-once.ts';
import type { EventDocument } from '../commit/events.ts';
import type { TicketDocument } from '../tickets/ticket-document.ts';

type Models = {
  definitions: Model<DefinitionDocument>;
  definitionMarks: Model<DefinitionMarkDocument>;
  additionGate: Model<AdditionGateDocument>;
  events: Model<EventDocument>;
  records: Model<RequestRecordDocument>;
  tickets: Model<TicketDocument>;
};

/** Returns the definitions among `chosen` that can be chosen for a ticket: stored, and not being replaced. */
export async function findChoosable(
  { definitions }: { definitions: Model<DefinitionDocument> },
  chosen: readonly DefinitionRef[],
  session: ClientSession,
): Promise<(ref: DefinitionRef) => boolean> {
  if (chosen.length === 0) return () => false;
  const filter = { _id: trusted({ $in: chosen.map(toDefinitionKey) }), replaced_by: { $eq: null } };
  const found = await definitions.find(filter, { _id: 1 }, { session }).lean();
  const keys = new Set(found.map(({ _id }) => _id));
  return (ref) => keys.has(toDefinitionKey(ref));
}

/** Documents of each definition that its choices write, so that two choices rarely meet in one. */
const STRIPES = 32;

/**
 * Marks definitions as chosen, in the transaction of `session`. A choice and a removal do not write the same document,
 * so MongoDB would commit both; each choice therefore writes one of several marks, and a removal all of them.
 */
export async function markChosen(
  { definitionMarks }: { definitionMarks: Model<DefinitionMarkDocument> },
  chosen: readonly DefinitionRef[],
  session: ClientSession,
): Promise<void> {
  const stripe = randomInt(STRIPES);
  const keys = [...new Set(chosen.map(toDefinitionKey))];
  await writeMarks(
    definitionMarks,
    keys.map((key) => `${key} ${stripe}`),
    session,
  );
}

async function markReplaced(models: Models, ref: DefinitionRef, session: ClientSession): Promise<void> {
  const marks = Array.from({ length: STRIPES }, (_, stripe) => `${toDefinitionKey(ref)} ${stripe}`);
  await writeMarks(models.definitionMarks, marks, session);
}

async function writeMarks(
  marks: Model<DefinitionMarkDocument>,
  ids: readonly string[],
  session: ClientSession,
): Promise<void> {
  const writes = ids.map((_id) => ({
    updateOne: { filter: { _id: { $eq: _id } }, update: { $inc: { writes: 1 } }, upsert: true },
  }));
  if (writes.length > 0) await marks.bulkWrite(writes, { session });
}

export function createDefinitionStore(models: Models): DefinitionStore {
  const { definitions } = models;
  const commit = createCommitAudited(models);
  const { insert, replace, remove } = createWrites(models);
  return {
    list: () => guardMongo(async () => (await definitions.find().lean()).map(toDefinition)),
    find: (ref) =>
      guardMongo(async () => {
        const document = await definitions.findOne({ _id: { $eq: toDefinitionKey(ref) } }).lean();
        return document ? toDefinition(document) : undefined;
      }),
    add: (definition, audited) => commit(audited, (session) => insert(definition, session)),
    replace: (definition, expectedVersion, audited) =>
      commit(audited, async (session) => {
        if (!(await replace(definition, expectedVersion, session))) return false;
        const { replaced_by } = definition;
        if (replaced_by === null) return true;
        await markReplaced(models, definition, session);
        await assertReplaceable(models, definition, replaced_by, session);
        return true;
      }),
    remove: (ref, expectedVersion, audited) =>
      commit(audited, async (session) => {
        if (!(await remove(ref, expectedVersion, session))) return false;
        await markReplaced(models, ref, session);
        await assertNoReplacement(models, ref, session);
        if (await isInUse(models, ref, session)) throw definitionInUse(ref);
        return true;
      }),
  };
}

/**
 * Creates the writes of one document; `replace` and `remove` resolve to `false` if it is not at the expected version.
 */
function createWrites({ definitions, additionGate }: Models) {
  async function insert(definition: Definition, session: ClientSession): Promise<boolean> {
    const { kind } = definition;
    await passGate(additionGate, 'definitions', session);
    const count = await definitions.countDocuments({ kind: { $eq: kind }, built_in: false }, { session });
    if (count >= maxAdded(kind)) throw tooManyDefinitions(definition);
    try {
      await definitions.insertOne(toDefinitionDocument(definition), { session });
      return true;
    } catch (err) {
      throw isDuplicateKey(err) ? definedAlready(definition, err) : err;
    }
  }

  async function replace(definition: Definition, expectedVersion: number, session: ClientSession) {
    const filter = { _id: { $eq: toDefinitionKey(definition) }, version: { $eq: expectedVersion } };
    const document = toDefinitionDocument(definition);
    const { matchedCount } = await definitions.replaceOne(filter, document, { session });
    if (matchedCount === 1) return true;
    if (!definition.built_in || expectedVersion !== 1) return false;
    // A built-in definition that is not stored is at version 1.
    const upsert = { $setOnInsert: document };
    const { upsertedCount } = await definitions.updateOne({ _id: filter._id }, upsert, {
      upsert: true,
      session,
    });
    return upsertedCount === 1;
  }

  async function remove(ref: DefinitionRef, expectedVersion: number, session: ClientSession) {
    const filter = { _id: { $eq: toDefinitionKey(ref) }, version: { $eq: expectedVersion } };
    const { deletedCount } = await definitions.deleteOne(filter, { session });
    return deletedCount === 1;
  }

  return { insert, replace, remove };
}

async function assertReplaceable(models: Models, ref: DefinitionRef, by: string, session: ClientSession) {
  const replacement = { kind: ref.kind, id: by };
  if (!findBuiltIn(replacement)) {
    const isChoosable = await findChoosable(models, [replacement], session);
    if (!isChoosable(replacement)) throw noReplacement(replacement);
    await markChosen(models, [replacement], session);
  }
  await assertNoReplacement(models, ref, session);
}

async function assertNoReplacement({ definitions }: Models, ref: DefinitionRef, session: ClientSession) {
  const filter = { kind: { $eq: ref.kind }, replaced_by: { $eq: ref.id } };
  if (await definitions.exists(filter).session(session)) throw isReplacement(ref);
}

/** Whether a ticket, deleted or not, has the definition; served by an index. */
async function isInUse({ tickets }: Pick<Models, 'tickets'>, ref: DefinitionRef, session: ClientSession) {
  const filter = { is_deleted: trusted({ $in: [false, true] }), [ref.kind]: { $eq: ref.id } };
  return (await tickets.exists(filter).hint(`list_by_${ref.kind}_created_at`).session(session)) !== null;
}

/** Title as a pair: the language is data, so it must never be an operator or a path. */
interface Title {
  language: string;
  title: string;
}

/** Status, type or priority as MongoDB stores it. */
export interface DefinitionDocument
  extends Omit<Definition, 'id' | 'titles' | 'transitions' | 'created_at' | 'updated_at'> {
  _id: string;
  id: string;
  titles: Title[];
  transitions: string[] | null;
  created_at: Date;
  updated_at: Date;
}

export const definitionIndexes = [
  { name: 'kind', key: { kind: 1, built_in: 1 } as const },
  { name: 'replaced_by', key: { kind: 1, replaced_by: 1 } as const },
];

export function createDefinitionModel(connection: Connection): Model<DefinitionDocument> {
  const schema = createDocumentSchema<DefinitionDocument>({
    _id: String,
    kind: String,
    id: String,
    title: String,
    titles: [createPartSchema({ language: String, title: String })],
    position: Number,
    hidden: Boolean,
    category: String,
    transitions: { type: [String], default: null },
    replaced_by: String,
    built_in: Boolean,
    created_at: Date,
    updated_at: Date,
    version: Number,
  });
  return connection.model<DefinitionDocument>('Definition', schema, 'definitions');
}

function toDefinitionKey({ kind, id }: DefinitionRef): string {
  return `${kind} ${id}`;
}

function toDefinitionDocument(definition: Definition): DefinitionDocument {
  const { titles, transitions, created_at, updated_at, ...same } = definition;
  return {
    _id: toDefinitionKey(definition),
    ...same,
    titles: Object.entries(titles).map(([language, title]) => ({ language, title })),
    transitions: transitions && [...transitions],
    created_at: new Date(created_at),
    updated_at: new Date(updated_at),
  };
}

function toDefinition({ _id, ...document }: DefinitionDocument): Definition {
  return deepFreeze({
    ...document,
    titles: Object.fromEntries(document.titles.map(({ language, title }) => [language, title])),
    created_at: document.created_at.toISOString(),
    updated_at: document.updated_at.toISOString(),
  });
}

/** Document that a choice of a definition, and each removal of it, writes. */
export interface DefinitionMarkDocument {
  /** Kind, id and stripe. */
  _id: string;
  writes: number;
}

export function createDefinitionMarkModel(connection: Connection): Model<DefinitionMarkDocument> {
  const schema = createDocumentSchema<DefinitionMarkDocument>({ _id: String, writes: Number });
  return connection.model<DefinitionMarkDocument>('DefinitionMark', schema, 'definition_marks');
}
