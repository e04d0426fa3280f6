/**
 * Appends the words of new replies to the search index. The text of a ticket may have half a million characters, which would
 * otherwise be removed from the index and inserted again. A rewritten text includes its subject, which fires the trigger;
 * appended replies are indexed by the writer.
 *
 * An index without positions only has pairs of word and row. Inserting a row again adds pairs, and merging segments drops
 * duplicates.
 */
export const appendedWordsMigration = `
  DROP TRIGGER ticket_texts_updated;

  CREATE TRIGGER ticket_texts_rewritten AFTER UPDATE OF subject ON ticket_texts BEGIN
    INSERT INTO ticket_words (ticket_words, rowid, subject, description, replies, notes)
    VALUES ('delete', old.seq, old.subject, old.description, old.replies, old.notes);
    INSERT INTO ticket_words (rowid, subject, description, replies, notes)
    VALUES (new.seq, new.subject, new.description, new.replies, new.notes);
  END;
`;
