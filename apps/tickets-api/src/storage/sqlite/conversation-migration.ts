/**
 * Adds the conversation of a ticket as fields, counted from stored replies: see `withReply`. A reply is incoming if its author is
 * on the ticket; whether they wrote as staff is not stored.
 */
export const conversationMigration = `
  UPDATE replies SET document = json_set(document, '$.incoming', json(iif(
    EXISTS (
      SELECT 1 FROM tickets WHERE tickets.seq = replies.ticket_seq AND (
        tickets.document ->> '$.requester.id' = replies.document ->> '$.author.id'
        OR EXISTS (
          SELECT 1 FROM json_each(tickets.document, '$.cc') AS copied
          WHERE copied.value ->> '$.id' = replies.document ->> '$.author.id'))),
    'true', 'false')));

  UPDATE tickets SET document = json_set(
    document,
    '$.last_reply_at', (
      SELECT max(replies.document ->> '$.created_at') FROM replies
      WHERE ticket_seq = tickets.seq AND is_public = 1),
    '$.last_customer_reply_at', (
      SELECT max(replies.document ->> '$.created_at') FROM replies
      WHERE ticket_seq = tickets.seq AND is_public = 1 AND replies.document ->> '$.incoming'),
    '$.waiting_since', iif(status IN ('solved', 'closed'), NULL, (
      SELECT min(at) FROM (
        SELECT tickets.document ->> '$.created_at' AS at
        UNION ALL
        SELECT replies.document ->> '$.created_at' FROM replies
        WHERE ticket_seq = tickets.seq AND is_public = 1 AND replies.document ->> '$.incoming'
      ) WHERE at > max(
        coalesce(tickets.document ->> '$.solved_at', ''),
        coalesce((
          SELECT max(replies.document ->> '$.created_at') FROM replies
          WHERE ticket_seq = tickets.seq AND is_public = 1 AND NOT replies.document ->> '$.incoming'), '')))),
    '$.reply_count', (
      SELECT count(*) FROM replies WHERE ticket_seq = tickets.seq AND is_public = 1));

  ALTER TABLE tickets ADD COLUMN last_reply_at TEXT
    GENERATED ALWAYS AS (document ->> '$.last_reply_at') VIRTUAL;
  ALTER TABLE tickets ADD COLUMN last_customer_reply_at TEXT
    GENERATED ALWAYS AS (document ->> '$.last_customer_reply_at') VIRTUAL;
  ALTER TABLE tickets ADD COLUMN waiting_since TEXT
    GENERATED ALWAYS AS (document ->> '$.waiting_since') VIRTUAL;
  ALTER TABLE tickets ADD COLUMN reply_count INTEGER
    GENERATED ALWAYS AS (document ->> '$.reply_count') VIRTUAL;
`;
