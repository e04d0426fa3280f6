import { lazyModule } from '@keydesk/server';
import type { AuditRecord } from '../../audit/audit-event.ts';
import type { AuditStore } from '../../audit/audit-store.ts';
import type { Client } from '../../clients/client.ts';
import type { Clients } from '../../clients/clients.ts';
import type { Account } from '../account/account.ts';
import type { Origin } from '../account/account-event.ts';
import type { AccountOperations } from '../account/account-operations.ts';
import type { FactorStore } from '../factors/factor-store.ts';
import type { Factors } from '../factors/factors.ts';
import type { Identities } from '../identities/identities.ts';
import type { AccountSession, SessionRegistry } from '../sessions/session-registry.ts';

/** Access of an application to an account. */
export interface ExportedConsent {
  clientId: string;
  scopes: readonly string[];
  since: Date;
  lastUsedAt: Date | undefined;
}

export interface AccountExportOptions {
  operations: Pick<AccountOperations, 'get' | 'recordEvent'>;
  factors: Pick<FactorStore, 'find'>;
  identities: { find(accountId: string): Promise<Identities | undefined> };
  sessions: Pick<SessionRegistry, 'list'>;
  clients: Pick<Clients, 'list' | 'listCoOwned'>;
  connections: { list(account: Account): Promise<readonly ExportedConsent[]> };
  records: Pick<AuditStore, 'list'>;
  now: () => Date;
}

/** Export of all data about an account. */
export interface AccountExport {
  /**
   * Returns a ZIP archive of JSON files: account, sessions, applications, consents and all audit records. It contains no
   * secret: no password, hash, key, token or code. The records are read while the archive is consumed, one page at a
   * time, so the memory does not grow with their number.
   *
   * @throws {AppError} `not_found`
   */
  exportData(accountId: string, origin: Origin): Promise<AsyncIterable<Uint8Array>>;
}

const PAGE_SIZE = 500;
const MAX_APPLICATIONS = 1_000;

const loadFflate = lazyModule<typeof import('fflate')>('fflate', import.meta.url);

export function createAccountExport(options: AccountExportOptions): AccountExport {
  return {
    async exportData(accountId, origin) {
      const account = await options.operations.get(accountId);
      await options.operations.recordEvent('account.data_exported', accountId, origin);
      const files = {
        'account.json': await collectAccount(options, account),
        'sessions.json': (await options.sessions.list(account)).map(toSession),
        'applications.json': await collectApplications(options, accountId),
        'consents.json': (await options.connections.list(account)).map(toConsent),
      };
      return zip({ files, records: listRecords(options, accountId), at: options.now() });
    },
  };
}

interface ExportedContent {
  files: Readonly<Record<string, unknown>>;
  /** Pages of `audit.json`. */
  records: AsyncIterable<readonly unknown[]>;
  at: Date;
}

/** Yields the parts of a ZIP archive of JSON files. */
async function* zip({ files, records, at }: ExportedContent): AsyncGenerator<Uint8Array> {
  const { Zip, ZipDeflate } = loadFflate();
  const parts: Uint8Array[] = [];
  const archive = new Zip((err, part) => {
    if (err) throw err;
    parts.push(part);
  });
  const addFile = (name: string) => {
    const file = new ZipDeflate(name);
    file.mtime = at;
    archive.add(file);
    return (text: string, isLast: boolean) => file.push(Buffer.from(text), isLast);
  };
  for (const [name, content] of Object.entries(files)) addFile(name)(`${toJson(content)}\n`, true);
  const write = addFile('audit.json');
  write('[', false);
  let separator = '';
  for await (const page of records) {
    // Without the brackets of the page.
    write(separator + toJson(page).slice(1, -2), false);
    separator = ',';
    yield* parts.splice(0);
  }
  write('\n]\n', true);
  archive.end();
  yield* parts;
}

const toJson = (content: unknown) => JSON.stringify(content, null, 2);

async function collectAccount({ factors, identities }: AccountExportOptions, account: Account) {
  const stored = await factors.find(account.id);
  const linked = await identities.find(account.id);
  return {
    account_id: account.id,
    email: account.email,
    email_verified: account.emailVerified,
    profile: account.profile,
    phone_number_verified: account.phoneNumberVerified,
    role: account.role,
    status: account.status,
    created_at: account.createdAt,
    updated_at: account.updatedAt,
    has_password: account.passwordHash !== null,
    password_changed_at: account.passwordChangedAt,
    deletion_due_at: account.deletionDueAt,
    ...toFactors(stored),
    identities: (linked?.identities ?? []).map(({ issuer, subject, label, linkedAt, lastUsedAt }) => ({
      ...{ issuer, subject, label, linked_at: linkedAt, last_used_at: lastUsedAt },
    })),
  };
}

function toFactors(stored: Factors | undefined) {
  const { totp = null, recoveryCodes = [], passkeys = [], trustedDevices = [] } = stored ?? {};
  return {
    authenticator_app_since: totp?.createdAt ?? null,
    unused_recovery_codes: recoveryCodes.filter(({ usedAt }) => usedAt === null).length,
    passkeys: passkeys.map(({ name, createdAt, lastUsedAt, isSynced }) => ({
      ...{ name, created_at: createdAt, last_used_at: lastUsedAt, is_synced: isSynced },
    })),
    trusted_devices: trustedDevices.map(({ description, createdAt, expiresAt }) => ({
      ...{ description, created_at: createdAt, expires_at: expiresAt },
    })),
  };
}

function toSession({ device, address, firstSeenAt, lastSeenAt, clientIds }: AccountSession) {
  return {
    ...{ device, address, first_seen_at: firstSeenAt, last_seen_at: lastSeenAt, client_ids: clientIds },
  };
}

function toConsent({ clientId, scopes, since, lastUsedAt }: ExportedConsent) {
  return { client_id: clientId, scopes, since, last_used_at: lastUsedAt ?? null };
}

async function collectApplications({ clients }: AccountExportOptions, accountId: string) {
  return {
    owned: await collect(clients.list(accountId)),
    co_owned: await collect(clients.listCoOwned(accountId)),
  };
}

async function collect(clients: AsyncIterable<Client>) {
  const collected = [];
  for await (const client of clients) {
    if (collected.length === MAX_APPLICATIONS) break;
    collected.push(toApplication(client));
  }
  return collected;
}

/** Returns the members that describe an application, without its secrets and without other people. */
function toApplication(client: Client) {
  return {
    client_id: client.id,
    name: client.name,
    type: client.type,
    status: client.status,
    home_page: client.homePage,
    redirect_uris: client.redirectUris,
    scopes: client.scopes,
    created_at: client.createdAt,
  };
}

/** Yields the records about an account, newest first, in pages that are not empty. */
async function* listRecords({ records }: AccountExportOptions, accountId: string) {
  let page: readonly AuditRecord[] = [];
  do {
    page = await records.list({ accountId, beforeId: page.at(-1)?.id, limit: PAGE_SIZE });
    if (page.length > 0) yield page.map((record) => toRecord(record, accountId));
  } while (page.length === PAGE_SIZE);
}

/** The address of another person, such as an administrator, is data about that person. */
function toRecord({ at, type, actor, clientId, address, details }: AuditRecord, accountId: string) {
  const isOther = actor !== null && actor !== accountId && actor !== clientId;
  return {
    at,
    type,
    by: actor === accountId ? 'you' : actor === null ? null : 'service',
    client_id: clientId,
    address: isOther ? null : address,
    details,
  };
}
