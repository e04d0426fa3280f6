/**
 * Finds tickets by their words once more, in an index that knows which tickets have a word and nothing of where: phrases
 * are looked for in the texts. Beginnings of up to five letters, by which very many words may begin, are indexed like
 * words, so that they are as cheap to find. It is smaller than the one before all the same.
 */
export const wordMigration = `
  DROP TABLE ticket_words;

  CREATE VIRTUAL TABLE ticket_words USING fts5 (
    subject, description, replies, notes,
    content = 'ticket_texts', content_rowid = 'seq', tokenize = 'ascii', columnsize = 0,
    detail = 'none', prefix = '2 3 4 5'
  );

  -- With so many bytes of words gathered in memory, fewer have to be merged.
  INSERT INTO ticket_words (ticket_words, rank) VALUES ('hashsize', 67108864);
  INSERT INTO ticket_words (ticket_words) VALUES ('rebuild');
  INSERT INTO ticket_words (ticket_words, rank) VALUES ('hashsize', 1048576);
`;
