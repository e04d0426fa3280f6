import { z } from 'zod';

const uuid = /^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[47][0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}$/;

/** Schema of an id chosen by the client: a UUID of version 4 or 7 (RFC 9562 §5.4, §5.7). */
export const chosenId = z
  .string()
  .regex(uuid, 'must be a UUID of version 4 or 7, such as 7f3c1f0e-8a55-4c0b-9a3e-2f1d6c5b4a39')
  .toLowerCase()
  .optional()
  .describe('Id chosen by the client: a new UUID of version 4 or 7 (RFC 9562)');
