/** Adds indexes for orders by conversation; each index only has tickets with a value. */
export const conversationOrderMigration = `
  CREATE INDEX tickets_by_waiting_since ON tickets (waiting_since, id)
    WHERE waiting_since IS NOT NULL AND deleted_at IS NULL;
  CREATE INDEX tickets_by_status_waiting_since ON tickets (status, waiting_since, id)
    WHERE waiting_since IS NOT NULL AND deleted_at IS NULL;
  CREATE INDEX tickets_by_assignee_waiting_since ON tickets (assignee, waiting_since, id)
    WHERE assignee IS NOT NULL AND waiting_since IS NOT NULL AND deleted_at IS NULL;
  CREATE INDEX tickets_by_last_reply_at ON tickets (last_reply_at, id)
    WHERE last_reply_at IS NOT NULL AND deleted_at IS NULL;
  CREATE INDEX tickets_by_status_last_reply_at ON tickets (status, last_reply_at, id)
    WHERE last_reply_at IS NOT NULL AND deleted_at IS NULL;
  CREATE INDEX tickets_by_assignee_last_reply_at ON tickets (assignee, last_reply_at, id)
    WHERE assignee IS NOT NULL AND last_reply_at IS NOT NULL AND deleted_at IS NULL;
  CREATE INDEX tickets_by_last_customer_reply_at ON tickets (last_customer_reply_at, id)
    WHERE last_customer_reply_at IS NOT NULL AND deleted_at IS NULL;
  CREATE INDEX tickets_by_reply_count ON tickets (reply_count, id) WHERE deleted_at IS NULL;
`;
