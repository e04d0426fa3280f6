import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort, startTestIssuer } from '@keydesk/testing';
import { startPrograms } from '../start/programs.ts';

// serve.ts [ROLE [COMMAND [ARGUMENT …]]] Serves the API on a temporary empty database without rate limits, with its own
// issuer. Runs the command with API_URL, API_TOKEN and API_ROLE in its environment and returns its exit code. Without a
// command, prints these variables and serves until interrupted. The token is that of a user with the role (default:
// admin).
process.exitCode = await serve(process.argv.slice(2));

async function serve([role = 'admin', command, ...parameters]: readonly string[]): Promise<number> {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const folder = await mkdtemp(join(tmpdir(), 'keydesk-fuzz-'));
  const issuer = await startTestIssuer({ audience: url });
  const token = issuer.token({
    role,
    scope: 'tickets:read tickets:write tickets:delete',
    sub: 'fuzz',
    email: 'fuzz@example.com',
    email_verified: true,
    exp: Math.floor(Date.now() / 1000) + 3600,
  });
  const api = startPrograms([
    {
      name: 'The API',
      script: 'apps/tickets-api/src/main.ts',
      env: {
        ...process.env,
        API_PORT: String(port),
        BASE_URL: url,
        ISSUER: issuer.issuer,
        STORAGE_URL: `sqlite:${join(folder, 'tickets.db')}`,
        RATE_LIMIT_READS_PER_MINUTE: '0',
        RATE_LIMIT_WRITES_PER_MINUTE: '0',
        LOG_LEVEL: 'error',
      },
      readyUrl: `${url}/readyz`,
    },
  ]);
  try {
    await api.ready();
    const env = { API_URL: url, API_TOKEN: token, API_ROLE: role };
    if (command !== undefined) return await run(command, parameters, env);
    for (const [name, value] of Object.entries(env)) console.log(`${name}=${value}`);
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM'), api.firstEnd]);
    return 0;
  } finally {
    await api.stop();
    await issuer.stop();
    await rm(folder, { recursive: true });
  }
}

async function run(
  command: string,
  parameters: readonly string[],
  env: Record<string, string>,
): Promise<number> {
  const child = spawn(command, parameters, { stdio: 'inherit', env: { ...process.env, ...env } });
  const [code] = await once(child, 'exit');
  return code ?? 1;
}
