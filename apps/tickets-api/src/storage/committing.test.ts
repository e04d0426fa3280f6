import { externalIdContract } from '../tickets/external-id.contract.ts';
import { ticketCommitContract } from '../tickets/ticket-commit.contract.ts';
import { ticketRepetitionContract } from '../tickets/ticket-repetition.contract.ts';
import { ticketStoreContract } from '../tickets/ticket-store.contract.ts';
import { describeOnBothStorages } from './both-storages.fixture.ts';
import { ticketProcessesContract } from './ticket-processes.contract.ts';

describeOnBothStorages((createDatabase, efforts) => {
  ticketStoreContract(createDatabase);
  ticketCommitContract(createDatabase);
  ticketRepetitionContract(createDatabase);
  externalIdContract(createDatabase);
  ticketProcessesContract(createDatabase, efforts);
});
