/** `user_version` before the first step; files of this and lower versions predate 0.9. */
const FIRST_VERSION = 13;

/**
 * Migration steps: step i upgrades a database from `user_version` `FIRST_VERSION` + i to the next one. Published steps
 * never change. Times are in milliseconds.
 */
export const migrations: readonly string[] = [
  `-- What oidc-provider stores. Keys are digests, payloads are sealed.
   CREATE TABLE artifacts (
     model TEXT NOT NULL,
     key TEXT NOT NULL,
     payload BLOB NOT NULL,
     expires_at INTEGER,
     consumed_at INTEGER,
     is_revoked INTEGER NOT NULL DEFAULT 0,
     revoked_at INTEGER,
     grant_key TEXT,
     uid_key TEXT,
     user_code_key TEXT,
     account_id TEXT,
     client_id TEXT,
     status_index INTEGER,
     PRIMARY KEY (model, key)
   ) STRICT;
   CREATE INDEX artifacts_by_expiry ON artifacts (expires_at) WHERE expires_at IS NOT NULL;
   CREATE INDEX artifacts_by_grant ON artifacts (grant_key) WHERE grant_key IS NOT NULL;
   CREATE INDEX artifacts_by_uid ON artifacts (uid_key) WHERE uid_key IS NOT NULL;
   CREATE INDEX artifacts_by_user_code ON artifacts (user_code_key) WHERE user_code_key IS NOT NULL;
   -- Artifacts of a grant are found by its key, so these two contain only the others.
   CREATE INDEX artifacts_by_account ON artifacts (account_id, model)
     WHERE account_id IS NOT NULL AND grant_key IS NULL;
   CREATE INDEX artifacts_by_client ON artifacts (client_id) WHERE client_id IS NOT NULL AND grant_key IS NULL;
   CREATE INDEX artifacts_by_status ON artifacts (status_index) WHERE status_index IS NOT NULL;
   CREATE INDEX artifacts_by_revocation ON artifacts (revoked_at, status_index) WHERE revoked_at IS NOT NULL;

   -- Number of indexes of the token status list that were leased.
   CREATE TABLE token_status_leases (id INTEGER PRIMARY KEY CHECK (id = 1), leased INTEGER NOT NULL) STRICT;
   INSERT INTO token_status_leases VALUES (1, 0);

   -- Responses to refreshes, by the key of the redeemed token.
   CREATE TABLE answers (
     key TEXT PRIMARY KEY,
     payload BLOB NOT NULL,
     expires_at INTEGER NOT NULL
   ) STRICT;

   CREATE TABLE signing_keys (
     id INTEGER PRIMARY KEY CHECK (id = 1),
     revision INTEGER NOT NULL,
     document TEXT NOT NULL
   ) STRICT;
   INSERT INTO signing_keys VALUES (1, 0, '[]');

   CREATE TABLE accounts (
     id TEXT PRIMARY KEY,
     email TEXT NOT NULL UNIQUE,
     role TEXT NOT NULL,
     status TEXT NOT NULL,
     version INTEGER NOT NULL,
     document TEXT NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX accounts_by_role ON accounts (role, email);
   CREATE INDEX accounts_by_status ON accounts (status, email);
   CREATE INDEX accounts_by_role_and_status ON accounts (role, status, email);
   CREATE INDEX accounts_by_end_of_sign_ins ON accounts (document ->> '$.signInsEndedAt')
     WHERE document ->> '$.signInsEndedAt' IS NOT NULL;

   -- Tokens in mailed links.
   CREATE TABLE account_tokens (
     digest TEXT PRIMARY KEY,
     purpose TEXT NOT NULL,
     account_id TEXT NOT NULL,
     email TEXT NOT NULL,
     expires_at INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX account_tokens_by_account ON account_tokens (account_id);
   CREATE INDEX account_tokens_by_expiry ON account_tokens (expires_at);

   -- Second factors and passkeys.
   CREATE TABLE factors (
     account_id TEXT PRIMARY KEY,
     version INTEGER NOT NULL,
     document TEXT NOT NULL
   ) STRICT, WITHOUT ROWID;

   -- Index of the passkeys in the documents of factors.
   CREATE TABLE passkeys (
     credential_id TEXT PRIMARY KEY,
     account_id TEXT NOT NULL REFERENCES factors (account_id) ON DELETE CASCADE
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX passkeys_by_account ON passkeys (account_id);

   -- Identities at other providers, with an index by issuer and subject.
   CREATE TABLE identities (
     account_id TEXT PRIMARY KEY,
     version INTEGER NOT NULL,
     document TEXT NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE identity_owners (
     issuer TEXT NOT NULL,
     subject TEXT NOT NULL,
     account_id TEXT NOT NULL REFERENCES identities (account_id) ON DELETE CASCADE,
     PRIMARY KEY (issuer, subject)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX identity_owners_by_account ON identity_owners (account_id);

   CREATE TABLE clients (
     id TEXT PRIMARY KEY,
     version INTEGER NOT NULL,
     document TEXT NOT NULL,
     owner TEXT GENERATED ALWAYS AS (document ->> '$.owner') VIRTUAL,
     is_pending INTEGER GENERATED ALWAYS AS (
       'pending' IN (document ->> '$.trustRequests.role.status', document ->> '$.trustRequests.verification.status')
     ) VIRTUAL,
     invited_until TEXT GENERATED ALWAYS AS (document ->> '$.invitations[0].expiresAt') VIRTUAL
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX clients_by_owner ON clients (owner, id) WHERE owner IS NOT NULL;
   CREATE INDEX clients_pending ON clients (id) WHERE is_pending = 1;
   CREATE INDEX clients_invited ON clients (invited_until) WHERE invited_until IS NOT NULL;
   CREATE INDEX clients_disabled ON clients (document ->> '$.updatedAt') WHERE document ->> '$.status' = 'disabled';
   CREATE INDEX clients_resource_servers ON clients (id) WHERE document ->> '$.type' = 'resource-server';

   -- Index of the co-owners in the documents of clients.
   CREATE TABLE client_co_owners (
     account_id TEXT NOT NULL,
     client_id TEXT NOT NULL,
     PRIMARY KEY (account_id, client_id)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX client_co_owners_by_client ON client_co_owners (client_id);
   CREATE TRIGGER client_inserted AFTER INSERT ON clients BEGIN
     INSERT INTO client_co_owners (account_id, client_id)
       SELECT value ->> 'accountId', NEW.id FROM json_each(NEW.document, '$.coOwners');
   END;
   CREATE TRIGGER client_updated AFTER UPDATE OF document ON clients
     WHEN NEW.document -> '$.coOwners' IS NOT OLD.document -> '$.coOwners' BEGIN
     DELETE FROM client_co_owners WHERE client_id = NEW.id;
     INSERT INTO client_co_owners (account_id, client_id)
       SELECT value ->> 'accountId', NEW.id FROM json_each(NEW.document, '$.coOwners');
   END;
   CREATE TRIGGER client_deleted AFTER DELETE ON clients BEGIN
     DELETE FROM client_co_owners WHERE client_id = OLD.id;
   END;

   CREATE TABLE client_logos (
     client_id TEXT PRIMARY KEY REFERENCES clients (id) ON DELETE CASCADE,
     media_type TEXT NOT NULL,
     digest TEXT NOT NULL,
     bytes BLOB NOT NULL,
     created_at INTEGER NOT NULL
   ) STRICT;

   -- Accounts that can no longer own clients.
   CREATE TABLE closed_client_owners (owner TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

   CREATE TABLE initial_access_tokens (
     id TEXT PRIMARY KEY,
     digest TEXT NOT NULL UNIQUE,
     name TEXT NOT NULL,
     uses_left INTEGER NOT NULL,
     created_at INTEGER NOT NULL,
     expires_at INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX initial_access_tokens_by_expiry ON initial_access_tokens (expires_at);

   -- Dynamic client registrations.
   CREATE TABLE registrations (
     client_id TEXT PRIMARY KEY,
     token_digest TEXT NOT NULL,
     created_at INTEGER NOT NULL,
     active_at INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX registrations_by_activity ON registrations (active_at);

   -- Events about accounts that wait for their receivers (RFC 8936).
   CREATE TABLE security_events (
     id TEXT PRIMARY KEY,
     receiver TEXT NOT NULL,
     type TEXT NOT NULL,
     account_id TEXT NOT NULL,
     occurred_at INTEGER NOT NULL,
     available_at INTEGER NOT NULL,
     expires_at INTEGER NOT NULL,
     rejection TEXT
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX security_events_pending ON security_events (receiver, id) WHERE rejection IS NULL;
   CREATE INDEX security_events_by_expiry ON security_events (expires_at);

   CREATE TABLE audit_records (
     id TEXT PRIMARY KEY,
     at INTEGER NOT NULL,
     type TEXT NOT NULL,
     actor TEXT,
     account_id TEXT,
     client_id TEXT,
     address TEXT,
     request_id TEXT,
     details TEXT NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX audit_records_by_type ON audit_records (type, id);
   CREATE INDEX audit_records_by_account ON audit_records (account_id, type, id) WHERE account_id IS NOT NULL;
   CREATE INDEX audit_records_by_client ON audit_records (client_id, type, id) WHERE client_id IS NOT NULL;`,
  `ALTER TABLE account_tokens ADD COLUMN since INTEGER;`,
];

/** Schema of the database as `openSqlite` takes it: see decision 25. */
export const schema = {
  migrations,
  firstVersion: FIRST_VERSION,
  /** 0.9, which ignores `since`. */
  oldestReader: FIRST_VERSION + 1,
  /** "KDAU" in ASCII, which identifies the file as a database of the authorization server. */
  applicationId: 0x4b_44_41_55,
} as const;
