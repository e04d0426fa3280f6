import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, test } from 'vitest';

/** Optional services that suites need. */
export type Service =
  | 'redis'
  | 'mongodb'
  | 'chromium'
  | 'curl'
  | 'xmllint'
  | 'express-clients'
  | 'python-clients'
  | 'openapi-tools'
  | 'openapi-python-client'
  | 'go'
  | 'mod_auth_openidc'
  | 'nginx'
  | 'haproxy'
  | 'litestream'
  | 'caddy';

/** Path of the module on Debian and Ubuntu. */
const MOD_AUTH_OPENIDC = '/usr/lib/apache2/modules/mod_auth_openidc.so';

interface ServiceEntry {
  /** Returns the location of the service: the path of its program, or its URL. */
  find(env: NodeJS.ProcessEnv): string | undefined;
  missing: string;
  remedy: string;
}

const services: Readonly<Record<Service, ServiceEntry>> = {
  redis: {
    find: (env) => findProgram(env, ['redis-server']),
    missing: 'redis-server is not installed',
    remedy:
      "Install redis-server (Debian and Ubuntu: 'apt-get install redis-server') so that it is on the PATH.",
  },
  mongodb: {
    find: findMongo,
    missing: 'TEST_MONGODB_URL is not set',
    remedy: 'Start a MongoDB replica set (one node is enough) and set TEST_MONGODB_URL to its URL.',
  },
  chromium: {
    find: (env) => env.CHROMIUM || findProgram(env, ['chromium', 'chromium-browser', 'google-chrome']),
    missing: 'Chromium is not installed',
    remedy:
      "Install Chromium (Debian: 'apt-get install chromium') or set CHROMIUM to the path of its program.",
  },
  curl: {
    // The documented shell commands use openssl.
    find: (env) => findProgram(env, ['openssl']) && findProgram(env, ['curl']),
    missing: 'curl or openssl is not installed',
    remedy: "Install both (Debian and Ubuntu: 'apt-get install curl openssl') so that they are on the PATH.",
  },
  xmllint: {
    find: (env) => findProgram(env, ['xmllint']),
    missing: 'xmllint is not installed',
    remedy: "Install it (Debian and Ubuntu: 'apt-get install libxml2-utils') so that it is on the PATH.",
  },
  'express-clients': {
    find: (env) => env.TEST_EXPRESS_CLIENTS || undefined,
    missing: 'TEST_EXPRESS_CLIENTS is not set',
    remedy: 'Run \'eval "$(tools/test-services.sh)"\', which installs the client libraries for Express.',
  },
  'python-clients': {
    find: (env) => env.TEST_PYTHON || undefined,
    missing: 'TEST_PYTHON is not set',
    remedy: 'Run \'eval "$(tools/test-services.sh)"\', which installs the client libraries for Python.',
  },
  'openapi-tools': {
    find: (env) => env.TEST_OPENAPI_TOOLS || undefined,
    missing: 'TEST_OPENAPI_TOOLS is not set',
    remedy:
      'Run \'eval "$(tools/test-services.sh)"\', which installs openapi-typescript, Spectral and Redocly.',
  },
  'openapi-python-client': {
    find: (env) => env.TEST_OPENAPI_PYTHON || undefined,
    missing: 'TEST_OPENAPI_PYTHON is not set',
    remedy: 'Run \'eval "$(tools/test-services.sh)"\', which installs openapi-python-client.',
  },
  go: {
    find: (env) => findProgram(env, ['go']),
    missing: 'Go is not installed',
    remedy: 'Install Go 1.24 or newer so that it is on the PATH.',
  },
  mod_auth_openidc: {
    find: (env) =>
      existsSync(MOD_AUTH_OPENIDC) ? findProgram({ PATH: `${env.PATH}:/usr/sbin` }, ['apache2']) : undefined,
    missing: 'apache2 or mod_auth_openidc is not installed',
    remedy: "Install both (Debian and Ubuntu: 'apt-get install apache2 libapache2-mod-auth-openidc').",
  },
  nginx: {
    find: (env) => findProgram(env, ['nginx']),
    missing: 'nginx is not installed',
    remedy: "Install it (Debian and Ubuntu: 'apt-get install nginx-light') so that it is on the PATH.",
  },
  haproxy: {
    find: (env) => findProgram(env, ['haproxy']),
    missing: 'HAProxy is not installed',
    remedy: "Install it (Debian and Ubuntu: 'apt-get install haproxy') so that it is on the PATH.",
  },
  litestream: {
    find: (env) => env.LITESTREAM || findProgram(env, ['litestream']),
    missing: 'Litestream is not installed',
    remedy:
      "Run 'go install github.com/benbjohnson/litestream/cmd/litestream@v0.5.18', or set LITESTREAM to the path of the program.",
  },
  caddy: {
    find: (env) => findProgram(env, ['caddy']),
    missing: 'Caddy is not installed',
    remedy: "Install it (Debian and Ubuntu: 'apt-get install caddy') so that it is on the PATH.",
  },
};

/** Returns the path of a service's program or its URL; `undefined` when it is missing. */
export function findService(service: Service): string | undefined {
  return services[service].find(process.env);
}

/**
 * Defines a suite that needs a service; `body` receives its location. When the service is missing, the suite is
 * reported as skipped with the reason in its title; with `REQUIRE_SERVICES=1` it fails and explains how to install
 * the service.
 */
export function describeWith(service: Service, title: string, body: (location: string) => void): void {
  const location = findService(service);
  if (location !== undefined) describe(title, () => body(location));
  else if (process.env.REQUIRE_SERVICES === '1') describe(title, () => failMissingService(service));
  else skip(`${title} (skipped: ${services[service].missing})`);
}

/** Distributes test files over several servers by worker id. */
function findMongo({ TEST_MONGODB_URL = '', VITEST_WORKER_ID = '0' }: NodeJS.ProcessEnv): string | undefined {
  const urls = TEST_MONGODB_URL.split(' ').filter((url) => url !== '');
  return urls[Number(VITEST_WORKER_ID) % urls.length];
}

function failMissingService(service: Service): void {
  const { missing, remedy } = services[service];
  test(`needs ${service}`, () => {
    throw new Error(`This suite needs ${service}, but ${missing}. ${remedy}`);
  });
}

function skip(title: string): void {
  // Vitest's default reporter counts skipped tests without naming them.
  process.stderr.write(` ↓ ${title}\n`);
  describe(title, () => {
    test.skipIf(true)('is skipped', () => undefined);
  });
}

function findProgram(env: NodeJS.ProcessEnv, names: readonly string[]): string | undefined {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
