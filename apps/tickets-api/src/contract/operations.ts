import { changeOperations } from './change-operations.ts';
import { countOperations } from './count-operations.ts';
import { definitionOperations } from './definition-operations.ts';
import { eventOperations } from './event-operations.ts';
import { fieldOperations } from './field-operations.ts';
import { linkOperations } from './link-operations.ts';
import type { Operation } from './operation.ts';
import { peopleOperations } from './people-operations.ts';
import { replyOperations } from './reply-operations.ts';
import { roleOperations } from './role-operations.ts';
import { tagOperations } from './tag-operations.ts';
import { ticketOperations } from './ticket-operations.ts';

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
