import { readFileSync } from 'node:fs';
import type { z } from 'zod';

/** One setting: its environment variable and the schema of its text. */
export interface Setting<Schema extends z.ZodType = z.ZodType> {
  env: string;
  schema: Schema;
}

/** Settings by field name of the config object. */
export type Settings = Readonly<Record<string, Setting>>;

/** Values of settings by field name. */
export type Config<S extends Settings> = { readonly [Field in keyof S]: z.output<S[Field]['schema']> };

/** Environment variables, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The program cannot start with these settings; the message lists every problem. */
export class ConfigError extends Error {
  /** One sentence per problem, each starting with its variable. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`Invalid settings:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** Describes an error in one line: the problems of the settings, or the error message. */
export function describeFailure(err: unknown): string {
  if (err instanceof ConfigError) return err.problems.join('; ');
  return err instanceof Error ? err.message : String(err);
}

/**
 * Reads settings from an environment into a frozen object. An empty variable counts as unset. A secret may be
 * stored in a file instead: `NAME_FILE` contains the path, and the trimmed text of the file is the value.
 *
 * @param refuse returns further problems across settings, such as production checks; invalid fields are absent
 * @throws {ConfigError} listing every problem, never the value of a variable
 */
export function loadConfig<S extends Settings>(
  settings: S,
  env: Environment,
  refuse: (config: Partial<Config<S>>) => readonly string[] = () => [],
): Config<S> {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [field, setting] of Object.entries(settings)) {
    const { text, problem } = readText(setting, env);
    const parsed = setting.schema.safeParse(text);
    if (problem !== undefined) problems.push(problem);
    else if (parsed.success) values[field] = parsed.data;
    else problems.push(...parsed.error.issues.map(({ message }) => `${setting.env}: ${message}`));
  }
  problems.push(...refuse(values as Partial<Config<S>>));
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(values) as Config<S>;
}

function readText({ env: name, schema }: Setting, env: Environment): { text?: string; problem?: string } {
  const given = env[name] || undefined;
  const fileName = `${name}_FILE`;
  const path = isSecret(schema) ? env[fileName] || undefined : undefined;
  if (path === undefined) return given === undefined ? {} : { text: given };
  if (given !== undefined) return { problem: `${fileName}: set either this or ${name}, not both` };
  try {
    return { text: readFileSync(path, 'utf8').trim() };
  } catch (err) {
    return {
      problem: `${fileName}: the file cannot be read (${err instanceof Error && 'code' in err ? err.code : err})`,
    };
  }
}

const secretMarker = 'secret';

/** Marks a schema as secret: its value is never printed and may be read from the file at `NAME_FILE`. */
export function secret<Schema extends z.ZodType>(schema: Schema): Schema {
  return schema.meta({ ...schema.meta(), [secretMarker]: true }) as Schema;
}

function isSecret(schema: z.ZodType): boolean {
  return schema.meta()?.[secretMarker] === true;
}

/** Returns one row per setting for the table of `docs/settings.md`. */
export function describeConfig(settings: Settings): { env: string; default: string; description: string }[] {
  return Object.values(settings).map(({ env, schema }) => {
    const fallback = schema.safeParse(undefined);
    const hasDefault = fallback.success && fallback.data !== undefined && !isSecret(schema);
    return {
      env: isSecret(schema) ? `${env}, ${env}_FILE` : env,
      default: hasDefault ? String(fallback.data) : '',
      description: schema.description ?? '',
    };
  });
}
