import { Schema, type SchemaDefinition } from 'mongoose';

const strict = { strict: 'throw', versionKey: false } as const;

/** Creates the schema of a collection, which has every field of its documents and rejects others. */
export function createDocumentSchema<Document>(
  fields: Required<SchemaDefinition<Document>>,
): Schema<Document> {
  return new Schema<Document>(fields, strict);
}

/** Creates the schema of a subdocument, which rejects unknown fields. */
export function createPartSchema(fields: SchemaDefinition): Schema {
  return new Schema(fields, { ...strict, _id: false });
}
