import type { Connection, Model } from 'mongoose';
import type { Definition, DefinitionRef } from '../../helpdesk/definitions/definition.ts';
import { deepFreeze } from '../deep-freeze.ts';
import { createDocumentSchema, createPartSchema } from './document-schema.ts';

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
  /** Number of commits that chose it, so that each conflicts with a replacement or removal. */
  choices: number;
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
    choices: Number,
  });
  return connection.model<DefinitionDocument>('Definition', schema, 'definitions');
}

export function toDefinitionKey({ kind, id }: DefinitionRef): string {
  return `${kind} ${id}`;
}

export function toDefinitionDocument(definition: Definition): DefinitionDocument {
  const { titles, transitions, created_at, updated_at, ...same } = definition;
  return {
    _id: toDefinitionKey(definition),
    ...same,
    titles: Object.entries(titles).map(([language, title]) => ({ language, title })),
    transitions: transitions && [...transitions],
    created_at: new Date(created_at),
    updated_at: new Date(updated_at),
    choices: 0,
  };
}

export function toDefinition({ _id, choices, ...document }: DefinitionDocument): Definition {
  return deepFreeze({
    ...document,
    titles: Object.fromEntries(document.titles.map(({ language, title }) => [language, title])),
    created_at: document.created_at.toISOString(),
    updated_at: document.updated_at.toISOString(),
  });
}
