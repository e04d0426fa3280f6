import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { loadAuthConfig } from '../../apps/auth/src/config.ts';
import { loadApiConfig } from '../../apps/tickets-api/src/config.ts';
import { check, run, succeeds } from './command.ts';
import { installHelm, installPythonTools } from './tools.ts';

const infra = join(import.meta.dirname, '../../infra/helm');
const chart = join(infra, 'keydesk');
const KUBERNETES = '1.37.0';
/** Kinds of other authors; Kubernetes has no schema of them. */
const UNKNOWN_KINDS = ['ServiceMonitor'];
const loaders: Readonly<Record<string, typeof loadAuthConfig | typeof loadApiConfig>> = {
  'keydesk-auth': loadAuthConfig,
  'keydesk-api': loadApiConfig,
};

const renders: Readonly<Record<string, readonly string[]>> = {
  'default values': [],
  'SQLite values': ['--values', join(infra, 'values-sqlite.yaml')],
  'cluster values': ['--values', join(infra, 'values-cluster.yaml')],
  'a path, a private authority and events': [
    '--set=baseUrl=https://example.com/helpdesk,caConfigMap=ca,metrics.enabled=false',
    '--set=api.settings.SECURITY_EVENTS_CLIENT_ID=helpdesk,redis.enabled=true,networkPolicy.enabled=false',
  ],
};

const refusals: Readonly<Record<string, string>> = {
  'two processes on SQLite': 'storage.engine=sqlite',
  'an issuer without TLS': 'issuer=http://auth.example.com',
  'a value that does not exist': 'auth.replcias=3',
};

interface Resource {
  kind: string;
  metadata: { name: string };
  spec: { template: { spec: PodSpec } };
}

interface PodSpec {
  containers: Container[];
  securityContext: { runAsNonRoot: boolean };
  volumes: { name: string; secret?: { items: { key: string }[] } }[];
}

interface Container {
  image: string;
  env: { name: string; value: string }[];
  securityContext: { readOnlyRootFilesystem: boolean; capabilities: { drop: string[] } };
}

/** Lints and renders the chart, validates all resources, and loads the settings of all containers. */
export async function tryChart(folder: string): Promise<void> {
  const [helm, tools] = await Promise.all([installHelm(), installPythonTools()]);
  for (const [name, options] of Object.entries(renders)) {
    await run(helm, ['lint', '--strict', '--kube-version', KUBERNETES, ...options, chart]);
    const text = await run(helm, ['template', 'keydesk', chart, '--kube-version', KUBERNETES, ...options]);
    const resources = parseAllDocuments(text, { merge: true, version: '1.1' })
      .map((document) => document.toJS() as Resource | null)
      .filter((resource) => resource !== null);
    const files = resources
      .filter(({ kind }) => !UNKNOWN_KINDS.includes(kind))
      .map((resource, i) => write(join(folder, `${name}-${i}.json`), JSON.stringify(resource)));
    await run(join(tools, 'kubernetes-validate'), ['--strict', ...files]);
    for (const resource of resources) checkPods(folder, resource);
    console.log(`chart with ${name}: ${resources.length} resources, ${files.length} of them valid by schema`);
  }
  for (const [name, value] of Object.entries(refusals)) {
    const isRendered = await succeeds(helm, [
      'template',
      chart,
      '--kube-version',
      KUBERNETES,
      `--set=${value}`,
    ]);
    check(!isRendered, `The chart accepts ${name}.`);
  }
}

function write(file: string, text: string): string {
  writeFileSync(file, text);
  return file;
}

/** Checks pods of a Deployment or Job: their restrictions, their secrets, and that the app accepts their settings. */
function checkPods(folder: string, { kind, metadata: { name }, spec }: Resource): void {
  if (kind !== 'Deployment' && kind !== 'Job') return;
  const pod = spec.template.spec;
  check(pod.securityContext.runAsNonRoot, `${kind} ${name} may run as root.`);
  const keys = pod.volumes.flatMap(({ secret }) => secret?.items.map(({ key }) => key) ?? []);
  for (const container of pod.containers) {
    const { capabilities, readOnlyRootFilesystem } = container.securityContext;
    check(capabilities.drop.includes('ALL'), `${kind} ${name} keeps capabilities.`);
    check(readOnlyRootFilesystem, `${kind} ${name} can write to its root.`);
    checkSettings(folder, { name: `${kind} ${name}`, container, keys });
  }
}

function checkSettings(
  folder: string,
  { name, container, keys }: { name: string; container: Container; keys: readonly string[] },
): void {
  const secrets = '/run/secrets/keydesk/';
  const used = container.env.flatMap(({ value }) =>
    value.startsWith(secrets) ? [value.slice(secrets.length)] : [],
  );
  check(
    used.toSorted().join() === [...keys].toSorted().join(),
    `${name} has the secrets ${keys.join()}, but its settings name ${used.join()}.`,
  );
  mkdirSync(join(folder, 'secrets'), { recursive: true });
  const settings = container.env.map(({ name: setting, value }) => [
    setting,
    value.startsWith(secrets)
      ? write(join(folder, 'secrets', value.slice(secrets.length)), secretOf(setting))
      : value,
  ]);
  const image = container.image.split('/').at(-1)?.split(':')[0] ?? '';
  const load = loaders[image];
  check(load !== undefined, `${name} runs the unknown image ${image}.`);
  load({ NODE_ENV: 'production', ...Object.fromEntries(settings) });
}

/** Returns a value that the setting accepts. */
function secretOf(setting: string): string {
  if (setting === 'STORAGE_URL_FILE') return 'mongodb://mongodb/keydesk?replicaSet=keydesk';
  if (setting === 'REDIS_URL_FILE') return 'redis://redis';
  if (setting === 'SMTP_URL_FILE') return 'smtp://mail.example.com:587';
  return 'bqg5HbbY4sdFZyH0gvFAKVnt3ltnEWeCBeWJQtyWY4k';
}
