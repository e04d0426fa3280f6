import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { GeneratedClient } from './client.ts';

const { env } = process;
const javascript = (program: string) => join(env.TEST_OPENAPI_TOOLS ?? '', program);
const python = (program: string) => join(env.TEST_OPENAPI_PYTHON ?? '', program);
const java = env.JAVA_HOME ? join(env.JAVA_HOME, 'bin/java') : 'java';

const openapiTypescript: GeneratedClient = {
  language: 'typescript',
  tools: 'openapi-typescript, openapi-fetch, tsc',
  needs: { variables: ['TEST_OPENAPI_TOOLS'], programs: [] },
  generate: (run, document) =>
    run(process.execPath, [javascript('openapi-typescript/bin/cli.js'), document, '--output', 'schema.d.ts']),
  compile: (run) => run(process.execPath, [javascript('typescript/bin/tsc'), '-p', '.']),
  start: (run, settings) => run(process.execPath, ['out/client.js'], settings),
};

const openapiPythonClient: GeneratedClient = {
  language: 'python',
  tools: 'openapi-python-client, httpx',
  needs: { variables: ['TEST_OPENAPI_PYTHON'], programs: [] },
  generate: (run, document) =>
    run(python('openapi-python-client'), [
      ...['generate', '--fail-on-warning', '--meta', 'none', '--config', 'config.yaml'],
      ...['--path', document, '--output-path', 'keydesk_client'],
    ]),
  compile: (run) => run(python('python'), ['-m', 'compileall', '-q', 'keydesk_client']),
  start: (run, settings) => run(python('python'), ['client.py'], settings),
};

/**
 * Returns the arguments of OpenAPI Generator. Without the last property its clients reject unknown members, but the API
 * may add members at any time.
 */
function openapiGenerator(document: string, generator: string, output: string, properties: string): string[] {
  return [
    ...['-jar', env.OPENAPI_GENERATOR ?? '', 'generate', '-i', document, '-g', generator, '-o', output],
    '--global-property=apiTests=false,modelTests=false,apiDocs=false,modelDocs=false',
    `--additional-properties=${properties},disallowAdditionalPropertiesIfNotPresent=false`,
  ];
}

const goByOpenapiGenerator: GeneratedClient = {
  language: 'go',
  tools: 'OpenAPI Generator (go), Go',
  needs: { variables: ['OPENAPI_GENERATOR'], programs: ['java', 'go'] },
  generate: (run, document) =>
    run(java, openapiGenerator(document, 'go', 'keydesk', 'packageName=keydesk,withGoMod=false')),
  compile: (run) => run('go', ['build', '-o', 'client', '.']),
  start: (run, settings) => run('./client', [], settings),
};

const packages = 'invokerPackage=keydesk,apiPackage=keydesk.api,modelPackage=keydesk.model';

const javaByOpenapiGenerator: GeneratedClient = {
  language: 'java',
  tools: 'OpenAPI Generator (java, okhttp-gson), Maven, javac',
  needs: { variables: ['OPENAPI_GENERATOR'], programs: ['java', 'mvn'] },
  generate: (run, document) =>
    run(java, openapiGenerator(document, 'java', '.', `${packages},useSingleRequestParameter=true`)),
  compile: (run) =>
    run('mvn', [
      ...['--quiet', '--batch-mode', 'compile'],
      ...['dependency:build-classpath', '-Dmdep.outputFile=target/class-path'],
    ]),
  async start(run, settings) {
    const libraries = await run('cat', ['target/class-path']);
    return run(java, ['-cp', ['target/classes', libraries.trim()].join(delimiter), 'Client'], settings);
  },
};

export const generatedClients: readonly GeneratedClient[] = [
  openapiTypescript,
  openapiPythonClient,
  goByOpenapiGenerator,
  javaByOpenapiGenerator,
];

/** Finds the programs that a client needs and the machine lacks. */
export function findMissing({ needs }: GeneratedClient): string[] {
  const folders = (env.PATH ?? '').split(delimiter);
  return [
    ...needs.variables.filter((name) => !existsSync(env[name] ?? '')),
    ...needs.programs.filter((program) => !folders.some((folder) => existsSync(join(folder, program)))),
  ];
}
