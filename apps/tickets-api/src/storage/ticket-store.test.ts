import { describeWith } from '@keydesk/testing';
import { describe } from 'vitest';
import { ticketListContract } from '../tickets/ticket-list.contract.ts';
import { ticketRepetitionContract } from '../tickets/ticket-repetition.contract.ts';
import { ticketStoreContract } from '../tickets/ticket-store.contract.ts';
import { createMongoDatabase, createSqliteDatabase } from './test-database.fixture.ts';
import { ticketProcessesContract } from './ticket-processes.contract.ts';

describe('on SQLite', () => {
  ticketStoreContract(createSqliteDatabase);
  ticketListContract(createSqliteDatabase);
  ticketRepetitionContract(createSqliteDatabase);
  ticketProcessesContract(createSqliteDatabase, { kills: 10 });
});

describeWith('mongodb', 'on MongoDB', (url) => {
  const createDatabase = () => createMongoDatabase(url);
  ticketStoreContract(createDatabase);
  ticketListContract(createDatabase);
  ticketRepetitionContract(createDatabase);
  ticketProcessesContract(createDatabase, { kills: 3 });
});
