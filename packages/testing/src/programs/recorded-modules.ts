import { readFileSync } from 'node:fs';

const recorder = `
  import { appendFileSync } from 'node:fs';
  import { registerHooks } from 'node:module';
  registerHooks({
    load(url, context, next) {
      appendFileSync(process.env.RECORDED_MODULES + process.pid, url + '\\n');
      return next(url, context);
    },
  });`;

/** Records which modules the processes of a program load, in one file per process. */
export function recordModules(folder: string): {
  env: Readonly<Record<string, string>>;
  /** Returns the URLs of the modules that a process has loaded. */
  loadedBy(pid: number | undefined): string[];
} {
  const prefix = `${folder}/modules-`;
  return {
    env: {
      RECORDED_MODULES: prefix,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(recorder)}`,
    },
    loadedBy: (pid) => readFileSync(`${prefix}${pid}`, 'utf8').trim().split('\n'),
  };
}
