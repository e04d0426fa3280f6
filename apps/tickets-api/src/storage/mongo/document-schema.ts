import { Schema, type SchemaDefinition } from 'mongoose';

const strict = { strict: 'throw', versionKey: false } as const;

/** The schema of a collection, which refuses a field that it does not know. */
export function createDocumentSchema<Document>(fields: SchemaDefinition<Document>): Schema<Document> {
  return new Schema<Document>(fields, strict);
}

/** The schema of a part of a document, which refuses a field that it does not know. */
export function createPartSchema(fields: SchemaDefinition): Schema {
  return new Schema(fields, { ...strict, _id: false });
}

/** The schema of a person as a document refers to them. */
export function createReferenceSchema(): Schema {
  return createPartSchema({ id: String, email: String, name: String });
}
