import { z } from 'zod';
import type { Format } from '../formats/format.ts';
import { writtenTimestamp } from '../formats/timestamp.ts';
import { escapeXmlAttribute } from '../formats/xml-text.ts';
import { compileXmlWriter, toElement, XML_DECLARATION } from '../formats/xml-writer.ts';
import { replySchema } from '../replies/reply.ts';
import { ticketSchema } from '../tickets/ticket.ts';

/** One line of a feed: a resource as it is now for whoever reads, or that it is gone. */
export const feedLineSchema = z.strictObject({
  type: z.enum(['ticket', 'reply']),
  id: z.uuid().describe('Of the ticket or the reply'),
  ticket_id: z.uuid().describe('Of the ticket, or of the one that the reply belongs to'),
  deleted: z.boolean().describe('It is deleted, or no longer there for the caller: forget it'),
  // Schemas of their own: one that the contract has by name cannot be null as well.
  ticket: z.strictObject(ticketSchema.shape).nullable().describe('As it is now; null unless it is a ticket'),
  reply: z.strictObject(replySchema.shape).nullable().describe('As it is now; null unless it is a reply'),
  changed_at: writtenTimestamp.describe('When it last changed for the caller'),
});

export type FeedLine = Readonly<z.output<typeof feedLineSchema>>;

/** A page of a feed, and where to go on. */
export interface FeedPage {
  changes: readonly FeedLine[];
  /** Opaque. */
  position: string;
  /** `false`: this is the end of the feed. */
  has_more: boolean;
  /** Opaque: another one once the definitions of custom fields that the reader sees are others. */
  fields_tag: string;
}

/** A page that may be left in the middle. */
export interface DividedPage extends FeedPage {
  /** Where to go on behind each of the changes. */
  positions: readonly string[];
}

const writeLine = compileXmlWriter(feedLineSchema, 'change');

/**
 * `{"changes":[…],"position":"…","has_more":…,"fields_tag":"…"}` or `<changes position="…" has_more="…"
 * fields_tag="…"><change>…</change></changes>`.
 */
export function renderFeedPage(format: Format, page: FeedPage): string {
  const { changes, position, has_more, fields_tag } = page;
  if (format === 'json') return JSON.stringify({ changes, position, has_more, fields_tag });
  const attributes = ` position="${escapeXmlAttribute(position)}" has_more="${has_more}" fields_tag="${escapeXmlAttribute(fields_tag)}"`;
  const lines = changes.map((line) => writeLine(line)).join('');
  return XML_DECLARATION + toElement('changes', attributes, lines);
}
