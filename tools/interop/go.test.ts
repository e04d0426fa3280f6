import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describeWith, useStarted } from '@keydesk/testing';
import { beforeAll, it } from 'vitest';
import { runConsoleClient, runMachine } from './client-program.fixture.ts';
import { expectCompleteJourney, expectMachineToken } from './client-report.fixture.ts';
import { startKeydesk } from './keydesk.fixture.ts';

const REDIRECT_URI = 'https://app.example/callback';

describeWith('go', 'a client in Go', (go) => {
  const keydesk = useStarted(startKeydesk);
  let programs: string;
  beforeAll(async () => {
    programs = await mkdtemp(join(tmpdir(), 'keydesk-go-'));
    await promisify(execFile)(go, ['build', '-o', programs, './...'], {
      cwd: join(import.meta.dirname, 'go'),
    });
  });

  it('signs users in and works with tickets with go-oidc and x/oauth2', async () => {
    const env = await keydesk.register('go-oidc', 'web', '--redirect-uri', REDIRECT_URI);
    const report = await runConsoleClient(keydesk, {
      command: join(programs, 'sign-in'),
      args: [],
      env: { ...env, REDIRECT_URI },
    });
    expectCompleteJourney(report, keydesk);
  });

  it('gets a token with the client credentials grant of x/oauth2', async () => {
    const env = await keydesk.register('x/oauth2', 'machine', '--role', 'agent');
    expectMachineToken(await runMachine(keydesk, { command: join(programs, 'machine'), args: [], env }));
  });
});
