/**
 * Lets the words of a reply be added to those of its ticket, of which there may be half a million characters, without
 * those being taken out of the index and put in again: a text that is written anew is written with its subject, and of
 * what is put behind its replies the index is told by whoever does it.
 *
 * An index that knows no places has nothing but pairs of a word and a row. Another insertion of a row adds pairs, and
 * those that were there already are dropped when segments are merged.
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
