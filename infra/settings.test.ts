import { randomBytes } from 'node:crypto';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { ConfigError, describeConfig } from '@keydesk/config';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { settings as authSettings, loadAuthConfig } from '../apps/auth/src/config.ts';
import { settings as apiSettings, loadApiConfig } from '../apps/tickets-api/src/config.ts';

type Environment = Readonly<Record<string, string>>;

const apps = {
  auth: { known: namesOf(authSettings), load: loadAuthConfig },
  api: { known: namesOf(apiSettings), load: loadApiConfig },
};
type App = keyof typeof apps;

/** Variables that Node itself reads; the list of settings has some of them. */
const ofNode = ['NODE_ENV', 'NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS', 'UV_THREADPOOL_SIZE'];

function namesOf(settings: Parameters<typeof describeConfig>[0]): string[] {
  return describeConfig(settings).flatMap(({ env }) => env.split(', '));
}

function read(path: string): string {
  return readFileSync(join(import.meta.dirname, path), 'utf8');
}

interface Service {
  image: string;
  environment: Environment;
}

/** Returns the services of a compose file that run an app, with the defaults of its variables. */
function readServices(file: string): [service: string, app: App, environment: Environment][] {
  const text = read(join('compose', file)).replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1');
  const { services } = parse(text, { merge: true }) as { services: Record<string, Service> };
  return Object.entries(services).flatMap(([service, { image, environment }]) => {
    const app = image.replace(/^keydesk-/, '');
    return app in apps ? [[service, app as App, environment]] : [];
  });
}

/** Puts each secret into a file, as the container engine does. */
function withSecrets(environment: Environment): Environment {
  const folder = mkdtempSync(join(tmpdir(), 'settings-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const files = Object.entries(environment).map(([name, given]) => {
    // YAML reads a port as a number.
    const value = String(given);
    if (!value.startsWith('/run/secrets/')) return [name, value];
    const file = join(folder, basename(value));
    writeFileSync(file, secretOf(name));
    return [name, file];
  });
  return Object.fromEntries(files);
}

function secretOf(name: string): string {
  if (name === 'STORAGE_URL_FILE') return 'mongodb://mongo1,mongo2,mongo3/keydesk?replicaSet=keydesk';
  if (name === 'REDIS_URL_FILE') return 'redis://:password@redis:6379';
  return randomBytes(32).toString('base64');
}

/** Returns the variables without which an app refuses to start in production. */
function requiredInProduction(app: App): string[] {
  try {
    apps[app].load({ NODE_ENV: 'production' });
  } catch (err) {
    if (err instanceof ConfigError) return err.problems.map((problem) => problem.replace(/:.*/s, ''));
    throw err;
  }
  return [];
}

describe('the Helm chart', () => {
  const chart = join(import.meta.dirname, 'helm/keydesk');
  const files = globSync(['helm/values-*.yaml', 'helm/keydesk/values.yaml'], { cwd: import.meta.dirname });

  test('has the version of the apps', () => {
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'));
    expect(parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8'))).toMatchObject({
      version,
      appVersion: version,
    });
  });

  test('sets only settings of the apps', () => {
    const template = readFileSync(join(chart, 'templates/_app.tpl'), 'utf8');
    const names = [...template.matchAll(/^- name: ([A-Z_]+)$/gm)].map(([, name = '']) => name);
    expect(names).toContain('ISSUER');
    const known = [...apps.auth.known, ...apps.api.known, ...ofNode];
    expect(known).toEqual(expect.arrayContaining(names));
  });

  test.each(Object.keys(apps) as App[])('sets every setting that %s requires in production', (app) => {
    const template = readFileSync(join(chart, 'templates/_app.tpl'), 'utf8');
    const names = [...template.matchAll(/^- name: ([A-Z_]+)$/gm)].map(([, name = '']) => name);
    const required = requiredInProduction(app);
    expect(required).toContain('ISSUER');
    expect(required.filter((name) => !names.includes(name) && !names.includes(`${name}_FILE`))).toEqual([]);
  });

  test.each(files)('%s has settings of each app', (file) => {
    const values = parse(read(file), { merge: true }) as Record<App, { settings?: Environment }>;
    for (const app of Object.keys(apps) as App[])
      expect(apps[app].known).toEqual(expect.arrayContaining(Object.keys(values[app].settings ?? {})));
  });

  test('scales by a metric that the apps have', async () => {
    const registry = new Registry();
    collectDefaultMetrics({ register: registry });
    const known = (await registry.getMetricsAsJSON()).map(({ name }) => name);
    const template = readFileSync(join(chart, 'templates/availability.yaml'), 'utf8');
    const names = [...template.matchAll(/metric: \{ name: (\w+) \}/g)].map(([, name = '']) => name);
    expect(names).not.toEqual([]);
    expect(known).toEqual(expect.arrayContaining(names));
  });
});

const composeFiles = globSync('*.yaml', { cwd: join(import.meta.dirname, 'compose') });

describe('the environment files of systemd', () => {
  test.each(Object.keys(apps) as App[])('%s.env has settings of this app only', (app) => {
    const names = [...read(`systemd/${app}.env`).matchAll(/^#?([A-Z_]+)=/gm)].map(([, name]) => name);
    expect(names).not.toEqual([]);
    expect(apps[app].known).toEqual(expect.arrayContaining(names));
  });
});

describe('the Containerfile', () => {
  test('sets only settings of the app of each image', () => {
    const stages = read('container/Containerfile').split(/^FROM /m);
    for (const app of Object.keys(apps) as App[]) {
      const stage = stages.filter(
        (text) => /^\S+ AS (\w+)/.exec(text)?.[1] === app || text.includes(' AS runtime\n'),
      );
      const names = stage
        .flatMap((text) => [...text.matchAll(/^ENV (.+)$/gm)].map(([, pairs = '']) => pairs))
        .flatMap((pairs) => pairs.split(' ').map((pair) => pair.split('=')[0]));
      expect(names).toContain(app === 'auth' ? 'AUTH_PORT' : 'API_PORT');
      expect(apps[app].known).toEqual(expect.arrayContaining(names));
    }
  });

  test('copies the manifest of every workspace, because npm compares them with the lock file', () => {
    const copied = [...read('container/Containerfile').matchAll(/^COPY (\S+\/package\.json) /gm)];
    const workspaces = globSync('{apps,packages}/*/package.json', { cwd: join(import.meta.dirname, '..') });
    expect(copied.map(([, path]) => path).toSorted()).toEqual(workspaces.toSorted());
  });
});

describe.each(composeFiles)('%s', (file) => {
  const services = readServices(file);

  test('runs both apps', () => {
    expect(new Set(services.map(([, app]) => app))).toEqual(new Set(Object.keys(apps)));
  });

  test.each(services)(
    'gives the service %s only settings of %s, with which it starts in production',
    (_, app, environment) => {
      const names = Object.keys(environment).filter((name) => !ofNode.includes(name));
      expect(apps[app].known).toEqual(expect.arrayContaining(names));
      const config = apps[app].load({ NODE_ENV: 'production', ...withSecrets(environment) });
      expect(config.mode).toBe('production');
    },
  );
});
