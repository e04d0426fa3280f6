import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort, isListening } from '@keydesk/testing';
import { poll } from './poll.ts';

/** A proxy in front of all processes, with the configuration of tools/. */
export interface RunningProxy {
  name: string;
  port: number;
  /** Returns its log, to print after a failed run. */
  log(): string;
  stop(): Promise<void>;
}

export interface ProxyOptions {
  folder: string;
  /** Ports of this run by port in the example. */
  ports: ReadonlyMap<number, number>;
  /** File in infra/nginx. Default: the one for both apps. */
  site?: string;
}

const infra = join(import.meta.dirname, '../../infra');
const NGINX = 'keydesk.conf';
const HAPROXY = join(infra, 'haproxy/haproxy.cfg');
const CADDYFILE = join(infra, 'caddy/Caddyfile');

/** Seconds for which nginx sends nothing to a failed server. */
export const failTimeoutSeconds = Number(/fail_timeout=(\d+)s/.exec(readSite(NGINX))?.[1]);

export async function startNginx({ folder, ports, site: name = NGINX }: ProxyOptions): Promise<RunningProxy> {
  const port = await findFreePort();
  const prefix = join(folder, 'nginx');
  mkdirSync(prefix);
  const site = readSite(name)
    .replaceAll(/^ *ssl_.*\n/gm, '')
    .replaceAll('listen 443 ssl', `listen 127.0.0.1:${port}`);
  writeFileSync(join(prefix, 'keydesk.conf'), onPorts(site, ports));
  writeFileSync(join(prefix, 'nginx.conf'), nginxMain);
  return run('nginx', { port, prefix, args: ['-p', prefix, '-c', 'nginx.conf', '-e', 'proxy.log'] });
}

function readSite(name: string): string {
  return readFileSync(join(infra, 'nginx', name), 'utf8');
}

const nginxMain = `daemon off;
worker_processes 2;
pid nginx.pid;
error_log proxy.log warn;
events {}
http {
    access_log off;
${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `    ${kind}_temp_path ${kind};`).join('\n')}
    include keydesk.conf;
}
`;

export async function startHaproxy({ folder, ports }: ProxyOptions): Promise<RunningProxy> {
  const port = await findFreePort();
  const prefix = join(folder, 'haproxy');
  mkdirSync(prefix);
  const config = readFileSync(HAPROXY, 'utf8').replace(/bind :443 ssl .*/, `bind 127.0.0.1:${port}`);
  writeFileSync(join(prefix, 'haproxy.cfg'), onPorts(config, ports));
  return run('haproxy', { port, prefix, args: ['-db', '-f', join(prefix, 'haproxy.cfg')] });
}

export async function startCaddy({ folder, ports }: ProxyOptions): Promise<RunningProxy> {
  const port = await findFreePort();
  const prefix = join(folder, 'caddy');
  mkdirSync(prefix);
  // Its port for administration is the same for all.
  const caddyfile = `{\n\tadmin off\n}\n${readFileSync(CADDYFILE, 'utf8')}`;
  const file = join(prefix, 'Caddyfile');
  writeFileSync(file, caddyfile);
  const serversAt = (examples: readonly number[]) =>
    examples.map((example) => `127.0.0.1:${ports.get(example)}`).join(' ');
  const env = {
    HOME: prefix,
    AUTH_SITE: `http://auth.example.com:${port}`,
    API_SITE: `http://api.example.com:${port}`,
    AUTH_SERVERS: serversAt([3000, 3010]),
    API_SERVERS: serversAt([3001, 3011]),
  };
  return run('caddy', { port, prefix, args: ['run', '--adapter', 'caddyfile', '--config', file], env });
}

function onPorts(config: string, ports: ReadonlyMap<number, number>): string {
  return config.replaceAll(
    /127\.0\.0\.1:(30[01][01])\b/g,
    (_, port) => `127.0.0.1:${ports.get(Number(port))}`,
  );
}

async function run(
  name: string,
  { port, prefix, args, env }: { port: number; prefix: string; args: string[]; env?: NodeJS.ProcessEnv },
): Promise<RunningProxy> {
  const child = spawn(name, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  await poll(`${name} to listen`, async () => {
    if (child.exitCode !== null) throw new Error(`${name} exited with ${child.exitCode}: ${output}`);
    return isListening(port);
  });
  const logFile = join(prefix, 'proxy.log');
  return {
    name,
    port,
    log: () => output + (name === 'nginx' ? readFileSync(logFile, 'utf8') : ''),
    stop: () => end(child),
  };
}

async function end(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}
