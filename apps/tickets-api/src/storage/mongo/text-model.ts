import type { Connection, Model } from 'mongoose';
import type { SearchableText } from '../../helpdesk/search/searchable-text.ts';
import { createDocumentSchema } from './document-schema.ts';

/** What a ticket is found by, beside it: large, and seldom written. */
export interface TextDocument extends SearchableText {
  /** The id of the ticket. */
  _id: string;
  /** Each word of all lines, once. */
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

/** The words of some lines, each once. */
export function wordsOf(lines: readonly string[]): string[] {
  return [...new Set(lines.flatMap((each) => each.match(/\S+/gu) ?? []))];
}

export function toText({ subject, description, replies, notes }: TextDocument): SearchableText {
  return { subject, description, replies, notes };
}
