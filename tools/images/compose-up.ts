import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '@keydesk/testing';
import { isReady, poll } from '../rolling-restart/poll.ts';
import { check, run } from './command.ts';
import type { Engine } from './engine.ts';
import { installPythonTools } from './tools.ts';

const infra = join(import.meta.dirname, '../../infra');

/** The machine may not allow the engine's default limits. */
const limit = { soft: 1024, hard: 1024 };
const ulimits = { nofile: limit, nproc: limit };

/** Runs compose.yaml with podman-compose and the built images, as its page says. @returns a line about it */
export async function runCompose(engine: Engine, folder: string): Promise<string> {
  const project = join(folder, 'compose-up');
  mkdirSync(project);
  cpSync(join(infra, 'compose'), join(project, 'compose'), {
    recursive: true,
    filter: (path) => !path.endsWith('/secrets'),
  });
  await run(join(project, 'compose/make-secrets.sh'), []);
  const podman = join(project, 'podman');
  writeFileSync(podman, `#!/bin/sh\nexec podman ${engine.options.join(' ')} "$@"\n`);
  chmodSync(podman, 0o755);
  const override = join(project, 'override.yaml');
  writeFileSync(override, JSON.stringify({ services: { auth: { ulimits }, api: { ulimits } } }));
  const files = ['--file', join(project, 'compose/compose.yaml'), '--file', override];
  const program = join(await installPythonTools(), 'podman-compose');
  const [authPort, apiPort] = [await findFreePort(), await findFreePort()];
  const env = {
    ...process.env,
    AUTH_PORT: String(authPort),
    API_PORT: String(apiPort),
    ISSUER: `http://127.0.0.1:${authPort}`,
    BASE_URL: `http://127.0.0.1:${apiPort}`,
  };
  const compose = (...args: string[]) =>
    run(program, ['--podman-path', podman, ...files, ...args], {
      env,
    });
  await compose('up', '--detach', '--no-build');
  for (const port of [authPort, apiPort]) await poll(`port ${port} to be ready`, () => isReady(port));
  const clients = JSON.parse(await compose('exec', '-T', 'auth', 'keydesk', 'client', 'list', '--json'));
  check(Array.isArray(clients), 'keydesk client list prints no list.');
  await compose('down');
  return 'compose.yaml ran by podman-compose; both servers became ready';
}
