import { changeStoreContract } from '../changes/change-store.contract.ts';
import { definitionStoreContract } from '../definitions/definition-store.contract.ts';
import { fieldStoreContract } from '../fields/field-store.contract.ts';
import { eventStoreContract } from '../history/event-store.contract.ts';
import { personOrderContract } from '../people/person-order.contract.ts';
import { personStoreContract } from '../people/person-store.contract.ts';
import { replyStoreContract } from '../replies/reply-store.contract.ts';
import { roleStoreContract } from '../roles/role-store.contract.ts';
import { tagStoreContract } from '../tickets/tag-store.contract.ts';
import { describeOnBothStorages } from './both-storages.fixture.ts';

describeOnBothStorages((createDatabase) => {
  replyStoreContract(createDatabase);
  eventStoreContract(createDatabase);
  changeStoreContract(createDatabase);
  personStoreContract(createDatabase);
  personOrderContract(createDatabase);
  fieldStoreContract(createDatabase);
  definitionStoreContract(createDatabase);
  roleStoreContract(createDatabase);
  tagStoreContract(createDatabase);
});
