import { ticketFindContract } from '../helpdesk/tickets/ticket-find.contract.ts';
import { onEveryEngine } from './engines.fixture.ts';

onEveryEngine((createDatabase, { runs }) => ticketFindContract(createDatabase, runs));
