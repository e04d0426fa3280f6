/**
 * Makes tickets searchable.
 *
 * `ticket_texts` has the words of each ticket in lines, as `search/tokenize.ts` splits them; `ticket_words` indexes them. Its
 * tokenizer treats all characters except ASCII as letters, so that it splits lines only at spaces. It stores no text; triggers
 * update it, also for purges.
 *
 * SQL cannot split existing tickets into words: their lines stay empty until the storage fills them when it is opened.
 */
export const searchMigration = `
  CREATE TABLE ticket_texts (
    seq INTEGER PRIMARY KEY REFERENCES tickets (seq) ON DELETE CASCADE,
    subject TEXT NOT NULL,
    description TEXT NOT NULL,
    replies TEXT NOT NULL,
    notes TEXT NOT NULL,
    is_filled INTEGER NOT NULL
  ) STRICT;

  CREATE INDEX unfilled_ticket_texts ON ticket_texts (seq) WHERE is_filled = 0;

  CREATE VIRTUAL TABLE ticket_words USING fts5 (
    subject, description, replies, notes,
    content = 'ticket_texts', content_rowid = 'seq', tokenize = 'ascii', columnsize = 0
  );

  CREATE TRIGGER ticket_texts_inserted AFTER INSERT ON ticket_texts BEGIN
    INSERT INTO ticket_words (rowid, subject, description, replies, notes)
    VALUES (new.seq, new.subject, new.description, new.replies, new.notes);
  END;

  CREATE TRIGGER ticket_texts_deleted AFTER DELETE ON ticket_texts BEGIN
    INSERT INTO ticket_words (ticket_words, rowid, subject, description, replies, notes)
    VALUES ('delete', old.seq, old.subject, old.description, old.replies, old.notes);
  END;

  CREATE TRIGGER ticket_texts_updated AFTER UPDATE ON ticket_texts BEGIN
    INSERT INTO ticket_words (ticket_words, rowid, subject, description, replies, notes)
    VALUES ('delete', old.seq, old.subject, old.description, old.replies, old.notes);
    INSERT INTO ticket_words (rowid, subject, description, replies, notes)
    VALUES (new.seq, new.subject, new.description, new.replies, new.notes);
  END;

  INSERT INTO ticket_texts (seq, subject, description, replies, notes, is_filled)
  SELECT seq, '', '', '', '', 0 FROM tickets;
`;
