import { ticketDueContract } from '../tickets/ticket-due.contract.ts';
import { ticketListContract } from '../tickets/ticket-list.contract.ts';
import { ticketSearchContract } from '../tickets/ticket-search.contract.ts';
import { describeOnBothStorages } from './both-storages.fixture.ts';

describeOnBothStorages((createDatabase) => {
  ticketListContract(createDatabase);
  ticketSearchContract(createDatabase);
  ticketDueContract(createDatabase);
});
