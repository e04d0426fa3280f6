import { join } from 'node:path';
import { useStarted } from '@keydesk/testing';
import { describe, it } from 'vitest';
import { runConsoleClient, runMachine } from './client-program.fixture.ts';
import { expectCompleteJourney, expectMachineToken } from './client-report.fixture.ts';
import { startKeydesk } from './keydesk.fixture.ts';

const REDIRECT_URI = 'https://app.example/callback';

const program = (name: string, env: Record<string, string>) => ({
  command: process.execPath,
  args: [join(import.meta.dirname, `javascript/${name}.ts`)],
  env,
});

describe('a client in JavaScript', () => {
  const keydesk = useStarted(startKeydesk);

  it.each(['openid-client', 'oauth4webapi'])(
    'signs users in and works with tickets with %s',
    async (name) => {
      const client = await keydesk.register(name, 'web', '--redirect-uri', REDIRECT_URI);
      const report = await runConsoleClient(keydesk, program(name, { ...client, REDIRECT_URI }));
      expectCompleteJourney(report, keydesk);
    },
  );

  it('gets a token with the client credentials grant of openid-client', async () => {
    const client = await keydesk.register('openid-client', 'machine', '--role', 'agent');
    expectMachineToken(await runMachine(keydesk, program('openid-client-machine', client)));
  });
});
