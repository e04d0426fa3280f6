/** Groups of operations, in the order of the documents. */
export const tags = {
  tickets: 'Requests of customers: list, content, status and counts.',
  replies: 'The conversation about a ticket: public replies, and internal ones among staff.',
  history: 'The audit history of tickets: author, client and time of every change.',
  changes: 'The change feed, which clients use to synchronize a copy.',
  people: 'People that tickets refer to, and the caller.',
  definitions: 'Statuses, types and priorities of tickets, which administrators define.',
  fields: 'Definitions of custom fields.',
  roles: 'Rights of roles, which administrators grant and withdraw.',
  tags: 'Labels of tickets.',
  links: 'Relations between tickets.',
} as const satisfies Record<string, string>;

export type TagName = keyof typeof tags;
