import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { toolCache } from '../go-program.ts';
import { run } from '../images/command.ts';

const MAVEN_PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1';

/** Unpacks a version of Keycloak from Maven Central, once per machine; resolves with its folder. */
export async function installKeycloak(version: string): Promise<string> {
  const folder = join(toolCache, `keycloak-${version}`);
  if (existsSync(folder)) return folder;
  const unpacked = join(toolCache, `keycloak-${version}-unpacked`);
  rmSync(unpacked, { recursive: true, force: true });
  mkdirSync(unpacked, { recursive: true });
  const artifact = `-Dartifact=org.keycloak:keycloak-quarkus-dist:${version}:zip`;
  const target = [`-DoutputDirectory=${unpacked}`, `-Dmdep.useBaseVersion=true`];
  await run('mvn', ['--quiet', '--batch-mode', `${MAVEN_PLUGIN}:unpack`, artifact, ...target], {
    cwd: unpacked,
  });
  renameSync(join(unpacked, `keycloak-${version}`), folder);
  rmSync(unpacked, { recursive: true });
  return folder;
}
