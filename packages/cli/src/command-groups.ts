import type { Command } from 'commander';

/** Commands below one name. */
export interface CommandGroup<Context> {
  name: string;
  description: string;
  /** Imports the module of the commands, and returns the function that adds them. */
  load(): Promise<(group: Command, context: Context) => void>;
}

/**
 * Adds groups of commands. Loads only groups that the arguments name, because modules take most of a command's CPU time.
 */
export async function addCommandGroups<Context>(
  program: Command,
  {
    args,
    context,
    groups,
  }: { args: readonly string[]; context: Context; groups: readonly CommandGroup<Context>[] },
): Promise<void> {
  for (const { name, description, load } of groups) {
    const group = program.command(name).description(description);
    if (args.includes(name)) (await load())(group, context);
  }
}
