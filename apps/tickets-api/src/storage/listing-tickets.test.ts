import { ticketDueContract } from '../helpdesk/tickets/ticket-due.contract.ts';
import { ticketListContract } from '../helpdesk/tickets/ticket-list.contract.ts';
import { describeOnBothStorages } from './both-storages.fixture.ts';

describeOnBothStorages((createDatabase) => {
  ticketListContract(createDatabase);
  ticketDueContract(createDatabase);
});
