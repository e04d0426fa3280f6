import { ticketCommitContract } from '../helpdesk/commit/ticket-commit.contract.ts';
import { externalIdContract } from '../helpdesk/tickets/external-id.contract.ts';
import { ticketRepetitionContract } from '../helpdesk/tickets/ticket-repetition.contract.ts';
import { ticketStoreContract } from '../helpdesk/tickets/ticket-store.contract.ts';
import { describeOnBothStorages } from './both-storages.fixture.ts';
import { ticketProcessesContract } from './ticket-processes.contract.ts';

describeOnBothStorages((createDatabase, load) => {
  ticketStoreContract(createDatabase);
  ticketCommitContract(createDatabase);
  ticketRepetitionContract(createDatabase);
  externalIdContract(createDatabase);
  ticketProcessesContract(createDatabase, load);
});
