import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

// Software bill of materials (CycloneDX) of the production dependencies. The build of images runs it, too:
//
//   node tools/bill-of-materials.ts [--installed]   (default: those of all workspaces in the lock file)

const root = join(import.meta.dirname, '..');

interface Component {
  'bom-ref': string;
  name: string;
  type: string;
  version?: string;
  properties?: { name: string; value: string }[];
}

interface LockFile {
  packages: Record<string, { name?: string; version: string; dev?: boolean; link?: boolean }>;
}

interface BillOfMaterials {
  metadata: { component: Component };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

/**
 * Creates the bill of materials without devDependencies. npm can't omit them itself: with `--omit=dev` it drops
 * packages that a devDependency and a workspace share, such as koa, and it marks duplicates only by the first copy.
 *
 * @param kept references (name and version) of the packages to list
 */
function createBillOfMaterials(kept: ReadonlySet<string>): BillOfMaterials {
  const args = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'];
  const text = execFileSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 });
  const { metadata, components, dependencies, ...rest }: BillOfMaterials = JSON.parse(text);
  const { name } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const listed = components.filter((component) => kept.has(component['bom-ref']));
  const refs = new Set([metadata.component['bom-ref'], ...listed.map((component) => component['bom-ref'])]);
  return {
    ...rest,
    // npm names it after the folder.
    metadata: { ...metadata, component: { ...metadata.component, name } },
    components: listed.map(({ properties = [], ...component }) => ({
      ...component,
      properties: properties.filter((property) => property.name !== 'cdx:npm:package:development'),
    })),
    dependencies: dependencies
      .filter(({ ref }) => refs.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => refs.has(other)) })),
  };
}

function readLock(file: string): [path: string, entry: LockFile['packages'][string]][] {
  const lock: LockFile = JSON.parse(readFileSync(join(root, file), 'utf8'));
  return Object.entries(lock.packages);
}

function toReference([path, { name, version }]: [string, LockFile['packages'][string]]): string {
  return `${name ?? path.split('node_modules/').at(-1)}@${version}`;
}

/** Bill of the production dependencies of all workspaces, and of the workspaces. */
export function describeProduction(): BillOfMaterials {
  const production = readLock('package-lock.json').filter(([, { dev, link }]) => !dev && !link);
  return createBillOfMaterials(new Set(production.map(toReference)));
}

/** Bill of the installed packages and of the Node that runs them. */
function describeInstalled(): BillOfMaterials {
  const installed = readLock('node_modules/.package-lock.json').filter(([path]) =>
    existsSync(join(root, path)),
  );
  const bill = createBillOfMaterials(new Set(installed.map(toReference)));
  const { version } = process;
  const node = { 'bom-ref': `node@${version}`, type: 'platform', name: 'node', version: version.slice(1) };
  return { ...bill, components: [...bill.components, node] };
}

if (import.meta.main) {
  const bill = process.argv.includes('--installed') ? describeInstalled() : describeProduction();
  console.log(JSON.stringify(bill, null, 2));
}
