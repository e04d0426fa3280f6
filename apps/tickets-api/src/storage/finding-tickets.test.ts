import { ticketFindContract } from '../helpdesk/tickets/ticket-find.contract.ts';
import { describeOnBothStorages } from './both-storages.fixture.ts';

describeOnBothStorages((createDatabase, { runs }) => ticketFindContract(createDatabase, runs));
