/** Groups of operations, in the order of the documents. */
export const tags = {
  tickets: 'Requests of customers: their list, their content, their status, and how many there are.',
  replies: 'The conversation about a ticket: public replies, and internal ones among staff.',
  history: 'The audit log: who changed what, through which client, when.',
  changes: 'The change feed, for clients that keep a copy.',
  people: 'People whom tickets refer to, and the caller.',
  definitions: 'Statuses, types and priorities of tickets, which administrators define.',
  fields: 'Definitions of custom fields.',
  tags: 'Words to find tickets by.',
  links: 'How tickets are connected to each other.',
} as const satisfies Record<string, string>;

export type TagName = keyof typeof tags;
