import { type FeedItem, type FeedPage, feedItemSchema } from '../../helpdesk/feed/feed-item.ts';
import { type Reply, replySchema } from '../../helpdesk/replies/reply.ts';
import { type Ticket, ticketSchema } from '../../helpdesk/tickets/ticket.ts';
import type { Format } from '../../wire/output/format.ts';
import { type BytePart, joinBytes, toElementParts } from '../../wire/output/renderer.ts';
import { withEtag } from '../../wire/schema/read-only.ts';
import { escapeXmlAttribute } from '../../wire/xml/xml-text.ts';
import { compileXmlWriter, XML_DECLARATION } from '../../wire/xml/xml-writer.ts';
import { selectFields, toSelectable } from '../lists/list-grammar.ts';
import { replyRenderer } from '../replies/routes.ts';
import { ticketRenderer } from '../tickets/responses.ts';

const identity = ['type', 'id', 'ticket_id', 'deleted'] as const;

/** Selectable fields of an item; `ticket.status` is a field of its ticket. */
export const itemFields: readonly string[] = [
  ...Object.keys(feedItemSchema.shape),
  ...Object.keys(withEtag(ticketSchema).shape).map((name) => `ticket.${name}`),
  ...Object.keys(withEtag(replySchema).shape).map((name) => `reply.${name}`),
];

/** Schema of an item with selected fields; its identity is always present. */
export const selectedItemSchema = toSelectable(
  feedItemSchema.extend({
    ticket: toSelectable(withEtag(ticketSchema), 'id')
      .meta({ title: 'ChangedTicket' })
      .nullable()
      .describe('Current state; null unless it is a ticket'),
    reply: toSelectable(withEtag(replySchema), 'id')
      .meta({ title: 'ChangedReply' })
      .nullable()
      .describe('Current state; null unless it is a reply'),
  }),
  ...identity,
).meta({ title: 'Change' });

/** Returns the entity tag of a ticket or reply in the feed. */
export type ToEtag = (resource: Ticket | Reply) => string;

/** Renders an item with the selected fields. */
function renderSelected(format: Format, item: FeedItem, fields: readonly string[], toEtag: ToEtag): string {
  const names = fields.map((field) => field.split('.')[0] ?? field);
  const ticket = selectPart('ticket', withTag(item.ticket, toEtag), fields);
  const reply = selectPart('reply', withTag(item.reply, toEtag), fields);
  const selected = selectFields({ ...item, ticket, reply } as FeedItem, names, ...identity);
  return format === 'json' ? JSON.stringify(selected) : writeSelectedItem(selected);
}

function withTag<Part extends Ticket | Reply>(part: Part | null, toEtag: ToEtag) {
  return part && { ...part, etag: toEtag(part) };
}

function selectPart<Part extends { id: string }>(name: string, part: Part | null, fields: readonly string[]) {
  const selected = fields.filter((field) => field.startsWith(`${name}.`));
  const names = selected.map((field) => field.slice(name.length + 1));
  return part && selectFields(part, fields.includes(name) ? undefined : names, 'id');
}

const writeItem = compileXmlWriter(feedItemSchema, 'change');
const writeSelectedItem = compileXmlWriter(selectedItemSchema, 'change');

/** Renders an item around its ticket or reply, whose bytes are cached from lists and other readers. */
export function renderItem(format: Format, item: FeedItem, toEtag: ToEtag): BytePart[] {
  const { ticket, reply } = item;
  const part =
    (ticket && ticketRenderer.bare(format, ticket, toEtag(ticket))) ??
    (reply && replyRenderer.bare(format, reply, toEtag(reply)));
  return format === 'json' ? toJsonParts(item, part) : toXmlParts(item, part);
}

/** All other members are UUIDs, times and words, which JSON contains as they are. */
function toJsonParts(
  { type, id, ticket_id, deleted, changed_at, ticket }: FeedItem,
  part: Buffer | null,
): BytePart[] {
  const head = `{"type":"${type}","id":"${id}","ticket_id":"${ticket_id}","deleted":${deleted},"changed_at":"${changed_at}"`;
  if (!part) return [`${head},"ticket":null,"reply":null}`];
  return ticket
    ? [`${head},"ticket":`, part, ',"reply":null}']
    : [`${head},"ticket":null,"reply":`, part, '}'];
}

function toXmlParts(item: FeedItem, part: Buffer | null): BytePart[] {
  const text = writeItem({ ...item, ticket: null, reply: null });
  if (!part) return [text];
  // No other part of an item can contain this text.
  const empty = item.ticket ? '<ticket nil="true"/>' : '<reply nil="true"/>';
  const at = text.indexOf(empty);
  return [text.slice(0, at), part, text.slice(at + empty.length)];
}

/**
 * Renders a page: `{"changes":[…],"position":"…","has_more":…,"fields_tag":"…"}` or `<changes position="…" has_more="…"
 * fields_tag="…"><change>…</change></changes>`.
 */
export function renderFeedPage(
  format: Format,
  page: FeedPage,
  toEtag: ToEtag,
  fields?: readonly string[],
): Buffer {
  const { changes, position, has_more, fields_tag } = page;
  const items = changes.map((item) =>
    fields ? [renderSelected(format, item, fields, toEtag)] : renderItem(format, item, toEtag),
  );
  if (format === 'json') {
    const extras = JSON.stringify({ position, has_more, fields_tag }).slice(1);
    const members = items.flatMap((item, i) => (i === 0 ? item : [',', ...item]));
    return joinBytes(['{"changes":[', ...members, `],${extras}`]);
  }
  const attributes = ` position="${escapeXmlAttribute(position)}" has_more="${has_more}" fields_tag="${escapeXmlAttribute(fields_tag)}"`;
  return joinBytes([XML_DECLARATION, ...toElementParts('changes', attributes, items.flat())]);
}
