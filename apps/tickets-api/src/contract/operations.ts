import type { Operation } from './operation.ts';
import { changeOperations } from './operations/change-operations.ts';
import { countOperations } from './operations/count-operations.ts';
import { definitionOperations } from './operations/definition-operations.ts';
import { eventOperations } from './operations/event-operations.ts';
import { fieldOperations } from './operations/field-operations.ts';
import { linkOperations } from './operations/link-operations.ts';
import { peopleOperations } from './operations/people-operations.ts';
import { replyOperations } from './operations/reply-operations.ts';
import { roleOperations } from './operations/role-operations.ts';
import { tagOperations } from './operations/tag-operations.ts';
import { ticketOperations } from './operations/ticket-operations.ts';

/** All operations of the API. */
export const operations: readonly Operation[] = [
  ...ticketOperations,
  ...countOperations,
  ...replyOperations,
  ...eventOperations,
  ...changeOperations,
  ...peopleOperations,
  ...definitionOperations,
  ...fieldOperations,
  ...roleOperations,
  ...tagOperations,
  ...linkOperations,
];
