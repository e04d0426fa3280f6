import { randomUUID } from 'node:crypto';
import type { Passkey } from './factors.ts';

/** Returns a stored passkey that no authenticator has. */
export const createPasskey = (members: Partial<Passkey> = {}): Passkey => ({
  id: randomUUID(),
  publicKey: 'pQECAyYgASFYIA',
  counter: 3,
  transports: ['internal', 'hybrid'],
  isSyncable: true,
  isSynced: false,
  name: 'Phone',
  createdAt: new Date('2026-03-01T12:00:00.123Z'),
  lastUsedAt: null,
  ...members,
});
