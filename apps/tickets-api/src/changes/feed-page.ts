import { z } from 'zod';
import { type BytePart, joinBytes, toElementParts } from '../formats/byte-parts.ts';
import type { Format } from '../formats/format.ts';
import { tagged } from '../formats/tagged.ts';
import { writtenTimestamp } from '../formats/timestamp.ts';
import { escapeXmlAttribute } from '../formats/xml-text.ts';
import { compileXmlWriter, XML_DECLARATION } from '../formats/xml-writer.ts';
import { selectFields, toSelectable } from '../lists/list-grammar.ts';
import { type Reply, replySchema } from '../replies/reply.ts';
import { replyRenderer } from '../replies/routes.ts';
import { ticketRenderer } from '../tickets/responses.ts';
import { type Ticket, ticketSchema } from '../tickets/ticket.ts';

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
  /** Where to go on behind one of the changes. */
  positionBehind(i: number): string;
}

const identity = ['type', 'id', 'ticket_id', 'deleted'] as const;

/** Fields of a line that can be selected: `ticket.status` is a field of the ticket in it. */
export const lineFields: readonly string[] = [
  ...Object.keys(feedLineSchema.shape),
  ...Object.keys(tagged(ticketSchema).shape).map((name) => `ticket.${name}`),
  ...Object.keys(tagged(replySchema).shape).map((name) => `reply.${name}`),
];

/** A line of which some fields may be selected; its ids and whether it is deleted are always there. */
export const selectedLineSchema = toSelectable(
  feedLineSchema.extend({
    ticket: toSelectable(tagged(ticketSchema), 'id')
      .meta({ title: 'ChangedTicket' })
      .nullable()
      .describe('As it is now; null unless it is a ticket'),
    reply: toSelectable(tagged(replySchema), 'id')
      .meta({ title: 'ChangedReply' })
      .nullable()
      .describe('As it is now; null unless it is a reply'),
  }),
  ...identity,
).meta({ title: 'Change' });

/** Makes the entity tag that a ticket or reply of a line has by itself. */
export type ToEtag = (resource: Ticket | Reply) => string;

/** Renders a line with these fields alone. */
function renderSelected(format: Format, line: FeedLine, fields: readonly string[], toEtag: ToEtag): string {
  const names = fields.map((field) => field.split('.')[0] ?? field);
  const ticket = selectPart('ticket', withTag(line.ticket, toEtag), fields);
  const reply = selectPart('reply', withTag(line.reply, toEtag), fields);
  const selected = selectFields({ ...line, ticket, reply } as FeedLine, names, ...identity);
  return format === 'json' ? JSON.stringify(selected) : writeSelectedLine(selected);
}

function withTag<Part extends Ticket | Reply>(part: Part | null, toEtag: ToEtag) {
  return part && { ...part, etag: toEtag(part) };
}

function selectPart<Part extends { id: string }>(name: string, part: Part | null, fields: readonly string[]) {
  const selected = fields.filter((field) => field.startsWith(`${name}.`));
  const names = selected.map((field) => field.slice(name.length + 1));
  return part && selectFields(part, fields.includes(name) ? undefined : names, 'id');
}

const writeLine = compileXmlWriter(feedLineSchema, 'change');
const writeSelectedLine = compileXmlWriter(selectedLineSchema, 'change');

/** Renders a line around its ticket or reply, which has been rendered for a list or another reader before. */
export function renderLine(format: Format, { ticket, reply, ...line }: FeedLine, toEtag: ToEtag): BytePart[] {
  const bare = { ...line, ticket: null, reply: null };
  const text = format === 'json' ? JSON.stringify(bare) : writeLine(bare);
  if (ticket) return fillIn(text, parts[format].ticket, ticketRenderer.bare(format, ticket, toEtag(ticket)));
  if (reply) return fillIn(text, parts[format].reply, replyRenderer.bare(format, reply, toEtag(reply)));
  return [text];
}

/** The empty parts of a line. Nothing else in it can have their text. */
const parts = {
  json: {
    ticket: { empty: '"ticket":null', before: '"ticket":' },
    reply: { empty: '"reply":null', before: '"reply":' },
  },
  xml: {
    ticket: { empty: '<ticket nil="true"/>', before: '' },
    reply: { empty: '<reply nil="true"/>', before: '' },
  },
} as const;

function fillIn(
  text: string,
  { empty, before }: { empty: string; before: string },
  part: Buffer,
): BytePart[] {
  const at = text.indexOf(empty);
  return [text.slice(0, at) + before, part, text.slice(at + empty.length)];
}

/**
 * `{"changes":[…],"position":"…","has_more":…,"fields_tag":"…"}` or `<changes position="…" has_more="…"
 * fields_tag="…"><change>…</change></changes>`.
 */
export function renderFeedPage(
  format: Format,
  page: FeedPage,
  toEtag: ToEtag,
  fields?: readonly string[],
): Buffer {
  const { changes, position, has_more, fields_tag } = page;
  const lines = changes.map((line) =>
    fields ? [renderSelected(format, line, fields, toEtag)] : renderLine(format, line, toEtag),
  );
  if (format === 'json') {
    const beside = JSON.stringify({ position, has_more, fields_tag }).slice(1);
    const members = lines.flatMap((line, i) => (i === 0 ? line : [',', ...line]));
    return joinBytes(['{"changes":[', ...members, `],${beside}`]);
  }
  const attributes = ` position="${escapeXmlAttribute(position)}" has_more="${has_more}" fields_tag="${escapeXmlAttribute(fields_tag)}"`;
  return joinBytes([XML_DECLARATION, ...toElementParts('changes', attributes, lines.flat())]);
}
