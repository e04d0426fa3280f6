/** Runs a command in the folder of the client. @throws {Error} with its output when it fails */
export type RunCommand = (
  command: string,
  args: readonly string[],
  env?: Readonly<Record<string, string>>,
) => Promise<string>;

/** A client of one language: a generator, and a small program of this folder that uses what it makes. */
export interface GeneratedClient {
  language: string;
  /** Generator and compiler, for the report. */
  tools: string;
  /** Variables and programs that the machine needs. */
  needs: { variables: readonly string[]; programs: readonly string[] };
  /** @param document path of `/openapi.json` */
  generate(run: RunCommand, document: string): Promise<unknown>;
  compile(run: RunCommand): Promise<unknown>;
  /** Prints its report as JSON. */
  start(run: RunCommand, env: Readonly<Record<string, string>>): Promise<string>;
}

/** Values that every program prints. */
export interface ClientReport {
  /** Subject of the created ticket. */
  created: string;
  /** Whether the list has it. */
  listed: boolean;
  /** Version after an edit with its entity tag. */
  edited: number;
  /** Answer to the same edit with the outdated entity tag. */
  conflict: { status: number; code: string; current: number };
  /** Subject of the ticket in the change feed, behind the position before its creation. */
  changed: string;
}

/** Report of a client that works. */
export const expectedReport: ClientReport = {
  created: 'The printer is on fire',
  listed: true,
  edited: 2,
  conflict: { status: 412, code: 'precondition_failed', current: 2 },
  changed: 'The printer is out',
};
