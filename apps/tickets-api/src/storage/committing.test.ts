import { ticketCommitContract } from '../helpdesk/commit/ticket-commit.contract.ts';
import { externalIdContract } from '../helpdesk/tickets/external-id.contract.ts';
import { ticketRepetitionContract } from '../helpdesk/tickets/ticket-repetition.contract.ts';
import { ticketStoreContract } from '../helpdesk/tickets/ticket-store.contract.ts';
import { onEveryEngine } from './engines.fixture.ts';
import { ticketProcessesContract } from './ticket-processes.contract.ts';

onEveryEngine((createDatabase, load) => {
  ticketStoreContract(createDatabase);
  ticketCommitContract(createDatabase);
  ticketRepetitionContract(createDatabase);
  externalIdContract(createDatabase);
  ticketProcessesContract(createDatabase, load);
});
