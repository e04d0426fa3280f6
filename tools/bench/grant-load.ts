import { type Measured, runGenerator } from './load.ts';

/** Grants to present at a token endpoint. */
export interface GrantLoad {
  url: string;
  /** Form parameters of the requests. */
  grants: readonly Readonly<Record<string, string>>[];
  /** Number of concurrent requests. */
  workers: number;
  /** Unmeasured time for refresh tokens. Default: 0. */
  warmUpSeconds?: number;
  /** Maximum measured time. */
  seconds: number;
}

/** Presents grants from a separate process. @throws {Error} when a grant is refused */
export function presentGrants(load: GrantLoad): Promise<Measured> {
  return runGenerator('grant-generator.ts', load);
}
