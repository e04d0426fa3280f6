import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort, isListening } from '@keydesk/testing';
import { parse } from 'yaml';
import { poll } from '../rolling-restart/poll.ts';
import { check, run } from './command.ts';
import { installPythonTools } from './tools.ts';

const infra = join(import.meta.dirname, '../../infra');

interface Project {
  services: Record<string, { volumes?: string[]; secrets?: string[]; depends_on?: Record<string, unknown> }>;
  secrets: Record<string, { file: string }>;
  volumes: Record<string, unknown>;
}

/** Reads both compose files as podman-compose does, and tries the files that they mount. */
export async function tryCompose(folder: string): Promise<void> {
  const tools = await installPythonTools();
  const copy = join(folder, 'infra');
  cpSync(infra, copy, { recursive: true, filter: (path) => !path.endsWith('/secrets') });
  const compose = join(copy, 'compose');
  await run(join(compose, 'make-secrets.sh'), ['--cluster']);
  await checkSecrets(compose);
  // To read a file, podman-compose asks Podman for nothing but its version.
  const podman = join(folder, 'podman');
  writeFileSync(podman, '#!/bin/sh\necho podman version 4.3.1\n');
  chmodSync(podman, 0o755);
  for (const file of ['compose.yaml', 'compose.cluster.yaml']) {
    const options = ['--podman-path', podman, '--file', join(compose, file)];
    const text = await run(join(tools, 'podman-compose'), [...options, 'config']);
    const project: Project = parse(text);
    checkReferences(compose, project);
    console.log(`${file}: ${Object.keys(project.services).length} services`);
  }
  await checkRedis(compose);
  await run('node', ['--check', join(compose, 'mongo-init.js')]);
  await checkProxies(folder);
}

/** Checks that a second run changes nothing, and that the authority has issued the certificate. */
async function checkSecrets(compose: string): Promise<void> {
  const read = () => run('sh', ['-c', 'sha256sum secrets/*'], { cwd: compose });
  const before = await read();
  await run(join(compose, 'make-secrets.sh'), ['--cluster']);
  check((await read()) === before, 'make-secrets.sh has replaced a secret.');
  const names = ['auth.example.com', 'api.example.com'];
  for (const name of names)
    await run('openssl', ['verify', '-CAfile', 'ca.crt', '-verify_hostname', name, 'tls.crt'], {
      cwd: join(compose, 'secrets'),
    });
}

/** Checks that every file, volume, secret and service that a service names exists. */
function checkReferences(compose: string, { services, secrets, volumes }: Project): void {
  for (const { file } of Object.values(secrets))
    check(existsSync(join(compose, file)), `make-secrets.sh does not create ${file}.`);
  for (const [name, service] of Object.entries(services)) {
    for (const secret of service.secrets ?? [])
      check(secret in secrets, `${name} needs the unknown secret ${secret}.`);
    for (const other of Object.keys(service.depends_on ?? {}))
      check(other in services, `${name} waits for the unknown service ${other}.`);
    for (const volume of service.volumes ?? []) {
      const [source = ''] = volume.split(':');
      const exists = source.startsWith('.') ? existsSync(join(compose, source)) : source in volumes;
      check(exists, `${name} mounts ${source}, which does not exist.`);
    }
  }
}

/** Starts Redis with its file; a client needs the password of the URL. */
async function checkRedis(compose: string): Promise<void> {
  const secrets = join(compose, 'secrets');
  const port = String(await findFreePort());
  const server = spawn('redis-server', [join(secrets, 'redis.conf'), '--port', port, '--dir', secrets]);
  try {
    await poll('Redis to listen', () => isListening(Number(port)));
    const url = new URL(readFileSync(join(secrets, 'redis-url'), 'utf8').trim());
    const ping = (options: string[]) => run('redis-cli', ['-p', port, ...options, 'ping']);
    check((await ping([])).includes('NOAUTH'), 'Redis needs no password.');
    const answer = await ping(['--no-auth-warning', '-a', url.password]);
    check(answer.trim() === 'PONG', `Redis refuses the password of its URL: ${answer}`);
  } finally {
    const exit = once(server, 'exit');
    server.kill();
    await exit;
  }
}

/** Has each proxy read its configuration; certificates of the examples are replaced or left out. */
async function checkProxies(folder: string): Promise<void> {
  const { env } = process;
  const secrets = join(folder, 'infra/compose/secrets');
  const caddyfile = join(infra, 'caddy/Caddyfile');
  const directive = `tls ${join(secrets, 'tls.crt')} ${join(secrets, 'tls.key')}`;
  for (const TLS_DIRECTIVE of ['', directive]) {
    // Its certificates and locks belong into this folder.
    const options = { env: { ...env, TLS_DIRECTIVE, HOME: folder, XDG_DATA_HOME: folder } };
    await run('caddy', ['validate', '--adapter', 'caddyfile', '--config', caddyfile], options);
  }
  const haproxy = join(folder, 'haproxy.cfg');
  const bundle = join(folder, 'bundle.pem');
  const pem = ['tls.crt', 'tls.key'].map((name) => readFileSync(join(secrets, name), 'utf8')).join('');
  writeFileSync(bundle, pem);
  const example = readFileSync(join(infra, 'haproxy/haproxy.cfg'), 'utf8');
  writeFileSync(haproxy, example.replace('/etc/haproxy/certs/', bundle));
  await run('haproxy', ['-c', '-f', haproxy]);
}
