import type { Operation } from './operation.ts';
import { ticketOperations } from './ticket-operations.ts';

/** Everything that clients can do. */
export const operations: readonly Operation[] = ticketOperations;
