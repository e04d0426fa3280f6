import { definitionStoreContract } from '../helpdesk/definitions/definition-store.contract.ts';
import { changeStoreContract } from '../helpdesk/feed/change-store.contract.ts';
import { fieldStoreContract } from '../helpdesk/fields/field-store.contract.ts';
import { eventStoreContract } from '../helpdesk/history/event-store.contract.ts';
import { personOrderContract } from '../helpdesk/people/person-order.contract.ts';
import { personStoreContract } from '../helpdesk/people/person-store.contract.ts';
import { replyStoreContract } from '../helpdesk/replies/reply-store.contract.ts';
import { roleStoreContract } from '../helpdesk/roles/role-store.contract.ts';
import { tagStoreContract } from '../helpdesk/tags/tag-store.contract.ts';
import { onEveryEngine } from './engines.fixture.ts';

onEveryEngine((createDatabase) => {
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
