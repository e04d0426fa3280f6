import { describeWith } from '@keydesk/testing';
import { describe } from 'vitest';
import { changeStoreContract } from '../changes/change-store.contract.ts';
import { fieldStoreContract } from '../fields/field-store.contract.ts';
import { eventStoreContract } from '../history/event-store.contract.ts';
import { personStoreContract } from '../people/person-store.contract.ts';
import { replyStoreContract } from '../replies/reply-store.contract.ts';
import { ticketCommitContract } from '../tickets/ticket-commit.contract.ts';
import { ticketDueContract } from '../tickets/ticket-due.contract.ts';
import { ticketFindContract } from '../tickets/ticket-find.contract.ts';
import { ticketListContract } from '../tickets/ticket-list.contract.ts';
import { ticketRepetitionContract } from '../tickets/ticket-repetition.contract.ts';
import { ticketSearchContract } from '../tickets/ticket-search.contract.ts';
import { ticketStoreContract } from '../tickets/ticket-store.contract.ts';
import { createMongoDatabase, createSqliteDatabase, type TestDatabase } from './test-database.fixture.ts';
import { ticketProcessesContract } from './ticket-processes.contract.ts';

/** What every storage promises. */
function storageContract(
  createDatabase: () => Promise<TestDatabase>,
  limits: { kills: number; runs: number },
): void {
  ticketStoreContract(createDatabase);
  ticketListContract(createDatabase);
  ticketFindContract(createDatabase, limits.runs);
  ticketSearchContract(createDatabase);
  ticketDueContract(createDatabase);
  ticketCommitContract(createDatabase);
  ticketRepetitionContract(createDatabase);
  replyStoreContract(createDatabase);
  eventStoreContract(createDatabase);
  changeStoreContract(createDatabase);
  personStoreContract(createDatabase);
  fieldStoreContract(createDatabase);
  ticketProcessesContract(createDatabase, limits);
}

describe('on SQLite', () => storageContract(createSqliteDatabase, { kills: 10, runs: 300 }));

describeWith('mongodb', 'on MongoDB', (url) =>
  storageContract(() => createMongoDatabase(url), { kills: 3, runs: 40 }),
);
