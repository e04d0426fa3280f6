import { ticketDueContract } from '../tickets/ticket-due.contract.ts';
import { ticketListContract } from '../tickets/ticket-list.contract.ts';
import { describeOnBothStorages } from './both-storages.fixture.ts';

describeOnBothStorages((createDatabase) => {
  ticketListContract(createDatabase);
  ticketDueContract(createDatabase);
});
