/** Authors of replies have a type, and replies say whether they answer the customer: public ones of staff did. */
export const authorMigration = `
  UPDATE replies SET document = json_set(
    document,
    '$.author', json(iif(
      document ->> '$.author.id' IS NULL, 'null', json_set(document -> '$.author', '$.type', 'person'))),
    '$.counts_as_reply', json(iif(is_public = 1 AND NOT document ->> '$.incoming', 'true', 'false')));
`;
