import { ticketSearchContract } from '../helpdesk/tickets/ticket-search.contract.ts';
import { describeOnBothStorages } from './both-storages.fixture.ts';

describeOnBothStorages((createDatabase) => {
  ticketSearchContract(createDatabase);
});
