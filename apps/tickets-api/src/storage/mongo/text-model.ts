import type { Connection, Model } from 'mongoose';
import type { SearchableText } from '../../helpdesk/search/searchable-text.ts';
import { createDocumentSchema } from './document-schema.ts';

/** Searchable text of a ticket, stored separately because it is large and rarely written. */
export interface TextDocument extends SearchableText {
  /** Id of the ticket. */
  _id: string;
  /** Distinct words of all lines. */
  words: string[];
}

export const textIndexes = [{ name: 'by_word', key: { words: 1 } as const }];

export function createTextModel(connection: Connection): Model<TextDocument> {
  const schema = createDocumentSchema<TextDocument>({
    _id: String,
    subject: String,
    description: String,
    replies: String,
    notes: String,
    words: [String],
  });
  return connection.model<TextDocument>('Text', schema, 'ticket_texts');
}

export function toTextDocument(id: string, text: SearchableText): TextDocument {
  const { subject, description, replies, notes } = text;
  return { _id: id, ...text, words: wordsOf([subject, description, replies, notes]) };
}

/** Returns the distinct words of lines. */
export function wordsOf(lines: readonly string[]): string[] {
  return [...new Set(lines.flatMap((each) => each.match(/\S+/gu) ?? []))];
}

export function toText({ subject, description, replies, notes }: TextDocument): SearchableText {
  return { subject, description, replies, notes };
}
