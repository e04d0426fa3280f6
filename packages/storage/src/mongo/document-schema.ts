import { Schema, type SchemaDefinition } from 'mongoose';

const strict = { strict: 'throw', versionKey: false } as const;

export interface DocumentSchemaOptions {
  /** Whether empty objects in fields of free form are omitted. Default: true. */
  minimize?: boolean;
}

/**
 * Creates the schema of a collection, which has every field of its documents and rejects others. A field of free form,
 * such as claims or a key set, is `Mixed`: its content is checked before it is stored, not by the schema.
 */
export function createDocumentSchema<Document>(
  fields: Required<SchemaDefinition<Document>>,
  options: DocumentSchemaOptions = {},
): Schema<Document> {
  return new Schema<Document>(fields, { ...strict, ...options });
}

/** Creates the schema of a subdocument, which rejects unknown fields. */
export function createPartSchema<Part>(fields: Required<SchemaDefinition<Part>>): Schema<Part> {
  return new Schema<Part>(fields, { ...strict, _id: false });
}
