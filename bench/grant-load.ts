import { type Measured, runGenerator } from './load.ts';

/** Grants to present at a token endpoint. */
export interface GrantLoad {
  url: string;
  /** The forms. */
  grants: readonly Readonly<Record<string, string>>[];
  /** How many are presented at once. */
  workers: number;
  /** For how long refresh tokens are presented before what they cost counts; by default it counts at once. */
  warmUpSeconds?: number;
  /** For how long at most after that. */
  seconds: number;
}

/** Presents grants from a process of its own. @throws {Error} when any is refused */
export function presentGrants(load: GrantLoad): Promise<Measured> {
  return runGenerator('grant-generator.ts', load);
}
