import { readFileSync } from 'node:fs';
import type { z } from 'zod';

/** One setting: the environment variable that carries it and the schema of its text. */
export interface Setting<Schema extends z.ZodType = z.ZodType> {
  env: string;
  schema: Schema;
}

/** Field name → setting; the field names become the config object's. */
export type Settings = Readonly<Record<string, Setting>>;

/** The values of settings, under their field names. */
export type Config<S extends Settings> = { readonly [Field in keyof S]: z.output<S[Field]['schema']> };

/** Variables by name, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The program cannot start with these settings; the message names every problem at once. */
export class ConfigError extends Error {
  /** One sentence a problem, each beginning with the variable it is about. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The settings are not usable:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** Why a command failed: every problem of its settings in one line, or the message of the error. */
export function reasonOf(err: unknown): string {
  if (err instanceof ConfigError) return err.problems.join('; ');
  return err instanceof Error ? err.message : String(err);
}

/**
 * Reads settings from an environment into a frozen object. An empty variable counts as unset, so that its default
 * applies. A secret may come in a file instead: `NAME_FILE` holds the path, and the file's text, without the white
 * space around it, is the value.
 *
 * @param refuse further reasons not to start, judged over all settings (production checks and the like); a field
 *   whose own setting is faulty is absent
 * @throws {ConfigError} naming every faulty variable and every reason at once; never a variable's value
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

/** Marks a schema whose value must never be printed, and may be given in a file by `NAME_FILE`. */
export function secret<Schema extends z.ZodType>(schema: Schema): Schema {
  return schema.meta({ ...schema.meta(), [secretMarker]: true }) as Schema;
}

function isSecret(schema: z.ZodType): boolean {
  return schema.meta()?.[secretMarker] === true;
}

/** One row a setting, for the README's table: variable, default, description. */
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
