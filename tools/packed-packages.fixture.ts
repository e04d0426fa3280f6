import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** The manifest of a package as users get it. */
export interface PackedManifest {
  name: string;
  private?: boolean;
  license: string;
  engines: { node: string };
  repository: { directory: string };
  dependencies: Record<string, string>;
  peerDependencies?: Record<string, string>;
  scripts?: object;
  devDependencies?: object;
}

/** An empty project, outside the repository, in which programs are type-checked and run. */
export function createProject() {
  const folder = mkdtempSync(join(tmpdir(), 'packages-'));
  const modules = join(folder, 'node_modules');
  const compilerOptions = {
    target: 'es2024',
    module: 'nodenext',
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    types: ['node'],
  };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));

  /** Links a package that the repository has installed. */
  function link(name: string): void {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }

  return {
    folder,
    /** Unpacks archives as npm does, and links what they declare and the README asks for, and nothing else. */
    install(archives: readonly string[]): PackedManifest[] {
      const manifests = archives.map((archive) => unpack(archive, modules));
      const declared = manifests.flatMap(({ dependencies, peerDependencies }) =>
        Object.keys({ ...dependencies, ...peerDependencies }),
      );
      const external = new Set([...declared, '@types/node'].filter((name) => !name.startsWith('@keydesk/')));
      for (const name of external) link(name);
      return manifests;
    },
    /** Gives the project every package of the repository, workspaces included. */
    linkAll: () => symlinkSync(join(root, 'node_modules'), modules),
    write: (name: string, text: string) => writeFileSync(join(folder, name), text),
    /** Output of the compiler; empty when it finds nothing. */
    findTypeErrors(options: object = {}): string {
      const config = { compilerOptions: { ...compilerOptions, ...options }, include: ['*.ts'] };
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
      try {
        const tsc = join(root, 'node_modules/typescript/bin/tsc');
        return execFileSync(process.execPath, [tsc, '--project', folder], { encoding: 'utf8' });
      } catch (err) {
        return (err as { stdout: string }).stdout;
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function unpack(archive: string, modules: string): PackedManifest {
  const read = (...args: string[]) => execFileSync('tar', args, { encoding: 'utf8' });
  const manifest: PackedManifest = JSON.parse(read('-xzOf', archive, 'package/package.json'));
  const target = join(modules, manifest.name);
  mkdirSync(target, { recursive: true });
  read('-xzf', archive, '-C', target, '--strip-components=1');
  return manifest;
}

/** TypeScript of a package's README, a program a block. */
export function readPrograms(packageName: string): string[] {
  const readme = readFileSync(join(root, 'packages', packageName, 'README.md'), 'utf8');
  return [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);
}
