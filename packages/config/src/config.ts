import type { z } from 'zod';

/** One setting: the environment variable that carries it and the schema of its text. */
export interface Setting<Schema extends z.ZodType = z.ZodType> {
  env: string;
  schema: Schema;
}

/** Field name → setting; the field names become the config object's. */
export type Settings = Readonly<Record<string, Setting>>;

type Config<S extends Settings> = { readonly [Field in keyof S]: z.output<S[Field]['schema']> };

/** The program cannot start with these settings; the message names every problem at once. */
export class ConfigError extends Error {
  constructor(problems: readonly string[]) {
    super(`The settings are not usable:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

/**
 * Reads settings from an environment into a frozen object. An empty variable counts as unset, so that its default
 * applies.
 *
 * @param refuse further reasons not to start, judged on the whole (production checks and the like)
 * @throws {ConfigError} naming every faulty variable and every reason at once; never a variable's value
 */
export function loadConfig<S extends Settings>(
  settings: S,
  env: Readonly<Record<string, string | undefined>>,
  refuse: (config: Config<S>) => readonly string[] = () => [],
): Config<S> {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [field, { env: name, schema }] of Object.entries(settings)) {
    const parsed = schema.safeParse(env[name] === '' ? undefined : env[name]);
    if (parsed.success) values[field] = parsed.data;
    else problems.push(...parsed.error.issues.map((issue) => `${name}: ${issue.message}`));
  }
  if (problems.length > 0) throw new ConfigError(problems);
  const config = Object.freeze(values) as Config<S>;
  const reasons = refuse(config);
  if (reasons.length > 0) throw new ConfigError(reasons);
  return config;
}

const secretMarker = 'secret';

/** Marks a schema whose value must never be printed. */
export function secret<Schema extends z.ZodType>(schema: Schema): Schema {
  return schema.meta({ ...schema.meta(), [secretMarker]: true }) as Schema;
}

/** One row a setting, for the README's table: variable, default, description. */
export function describeConfig(settings: Settings): { env: string; default: string; description: string }[] {
  return Object.values(settings).map(({ env, schema }) => {
    const fallback = schema.safeParse(undefined);
    const isSecret = schema.meta()?.[secretMarker] === true;
    return {
      env,
      default: !fallback.success || fallback.data === undefined || isSecret ? '' : String(fallback.data),
      description: schema.description ?? '',
    };
  });
}
