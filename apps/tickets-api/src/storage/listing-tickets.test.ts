import { ticketDueContract } from '../helpdesk/tickets/ticket-due.contract.ts';
import { ticketListContract } from '../helpdesk/tickets/ticket-list.contract.ts';
import { onEveryEngine } from './engines.fixture.ts';

onEveryEngine((createDatabase) => {
  ticketListContract(createDatabase);
  ticketDueContract(createDatabase);
});
