/** Adds types to authors of replies, and whether a reply counts as an answer to the customer: public ones of staff do. */
export const authorMigration = `
  UPDATE replies SET document = json_set(
    document,
    '$.author', json(iif(
      document ->> '$.author.id' IS NULL, 'null', json_set(document -> '$.author', '$.type', 'person'))),
    '$.counts_as_reply', json(iif(is_public = 1 AND NOT document ->> '$.incoming', 'true', 'false')));
`;
