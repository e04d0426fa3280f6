import { useStarted } from '@keydesk/testing';
import type { UsedStorage } from '../../storage/engines.fixture.ts';
import { startTestServer, type TestServer, type TestServerOptions } from '../../tests/test-server.fixture.ts';
import { type Mailbox, startMailbox } from './mailbox.fixture.ts';

/** Starts a server for the tests of a suite, and a mailbox that receives its mails. */
export function useMailboxServer(
  storage: Pick<UsedStorage, 'get'>,
  options: Omit<TestServerOptions, 'config'> = {},
): { server: TestServer; mailbox: Mailbox } {
  const mailbox = useStarted(startMailbox);
  const server = useStarted(() => startTestServer(storage.get(), { ...options, config: mailbox.config }));
  return { server, mailbox };
}
