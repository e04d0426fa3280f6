/** Makes external ids unique within a client: `external_id_client` is set if a client requested that. */
export const externalIdMigration = `
  ALTER TABLE tickets ADD COLUMN external_id_client TEXT;
  CREATE UNIQUE INDEX tickets_by_external_id_client ON tickets (external_id_client, external_id)
    WHERE external_id_client IS NOT NULL;
`;
