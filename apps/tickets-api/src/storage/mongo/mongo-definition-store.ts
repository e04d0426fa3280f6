import { guardMongo, isDuplicateKey } from '@keydesk/storage/mongo';
import { type ClientSession, trusted } from 'mongoose';
import { findBuiltIn, maxAdded } from '../../helpdesk/definitions/built-in.ts';
import {
  definedAlready,
  definitionInUse,
  isReplacement,
  noLongerChoosable,
  noReplacement,
  tooManyDefinitions,
} from '../../helpdesk/definitions/conflicts.ts';
import type { Definition, DefinitionRef } from '../../helpdesk/definitions/definition.ts';
import type { DefinitionStore } from '../../helpdesk/definitions/definition-store.ts';
import { passGate } from './addition-gate.ts';
import { createCommitAudited } from './commit-audited.ts';
import { toDefinition, toDefinitionDocument, toDefinitionKey } from './definition-model.ts';
import type { MongoModels } from './models.ts';

type Models = Pick<MongoModels, 'definitions' | 'additionGate' | 'events' | 'records' | 'tickets'>;

/**
 * Asserts that definitions can be chosen for a ticket, in the transaction of `session`. It writes to the chosen definitions, so
 * that it conflicts with a concurrent transaction that replaces or removes them.
 *
 * @throws {AppError} `validation_failed`
 */
export async function chooseDefinitions(
  { definitions }: Pick<MongoModels, 'definitions'>,
  chosen: readonly DefinitionRef[],
  session: ClientSession,
): Promise<void> {
  for (const ref of chosen) {
    if (!(await choose({ definitions }, ref, session))) throw noLongerChoosable(ref);
  }
}

/** Marks a definition as chosen; returns `false` if it does not exist or is being replaced. */
async function choose(
  { definitions }: Pick<MongoModels, 'definitions'>,
  ref: DefinitionRef,
  session: ClientSession,
): Promise<boolean> {
  const filter = { _id: { $eq: toDefinitionKey(ref) }, replaced_by: { $eq: null } };
  const { matchedCount } = await definitions.updateOne(filter, { $inc: { choices: 1 } }, { session });
  return matchedCount === 1;
}

export function createMongoDefinitionStore(models: Models): DefinitionStore {
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
        if (replaced_by !== null) await assertReplaceable(models, definition, replaced_by, session);
        return true;
      }),
    remove: (ref, expectedVersion, audited) =>
      commit(audited, async (session) => {
        if (!(await remove(ref, expectedVersion, session))) return false;
        await assertNoReplacement(models, ref, session);
        if (await isInUse(models, ref, session)) throw definitionInUse(ref);
        return true;
      }),
  };
}

/** Creates the writes of one document; `replace` and `remove` resolve to `false` if it is not at the expected version. */
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
  if (!findBuiltIn(replacement) && !(await choose(models, replacement, session))) {
    throw noReplacement(replacement);
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
