/** Runs a command in the folder of the client. @throws {Error} with its output when it fails */
export type RunCommand = (
  command: string,
  args: readonly string[],
  env?: Readonly<Record<string, string>>,
) => Promise<string>;

/** A client of one language: a generator, and a program in this folder that uses the generated code. */
export interface GeneratedClient {
  language: string;
  /** Generator and compiler, shown in the report. */
  tools: string;
  /** Variables and programs that the machine needs. */
  needs: { variables: readonly string[]; programs: readonly string[] };
  /** Generates the client. @param document path of `/openapi.json` */
  generate(run: RunCommand, document: string): Promise<unknown>;
  compile(run: RunCommand): Promise<unknown>;
  /** Prints its report as JSON. */
  start(run: RunCommand, env: Readonly<Record<string, string>>): Promise<string>;
}

/** Report of a client program. */
export interface ClientReport {
  /** Subject of the created ticket. */
  created: string;
  /** Whether the list contains the ticket. */
  listed: boolean;
  /** Version after an edit with its entity tag. */
  edited: number;
  /** Response to the same edit with the outdated entity tag. */
  conflict: { status: number; code: string; current: number };
  /** Subject of the ticket in the change feed after the position before its creation. */
  changed: string;
}

/** Report of a working client. */
export const expectedReport: ClientReport = {
  created: 'The printer is on fire',
  listed: true,
  edited: 2,
  conflict: { status: 412, code: 'precondition_failed', current: 2 },
  changed: 'The printer is out',
};
