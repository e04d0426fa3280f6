import { ticketSearchContract } from '../helpdesk/tickets/ticket-search.contract.ts';
import { onEveryEngine } from './engines.fixture.ts';

onEveryEngine((createDatabase) => {
  ticketSearchContract(createDatabase);
});
