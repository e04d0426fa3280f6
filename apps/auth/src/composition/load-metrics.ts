import type { Metrics } from '@keydesk/server';
import type { AccountServices } from './accounts.ts';

/** Measures the queues of the accounts, which reject requests when they are full. */
export function measureLoad(
  metrics: Metrics | undefined,
  { background, passwords }: Pick<AccountServices, 'background' | 'passwords'>,
): void {
  metrics?.gauge('auth_background_tasks_pending', 'Mails and other background work', background.pending);
  const { load } = passwords;
  metrics?.gauge('auth_password_hashes_pending', 'Running and waiting hashes', () => load().pending);
  metrics?.gauge('auth_password_hashes_limit', 'Number of hashes that may be pending', () => load().limit);
}
