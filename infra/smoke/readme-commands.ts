/** The shell blocks (```sh) of a Markdown file, in order. What is not meant to be run is marked ```console. */
function shellBlocks(markdown: string): string[] {
  return [...markdown.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, body]) => String(body).trim());
}

/**
 * The README's command that starts everything.
 *
 * @throws {Error} when the README shows none
 */
export function startCommand(readme: string): string {
  const found = shellBlocks(readme).find((block) => block === 'npm start');
  if (!found) throw new Error('the README has no `npm start` block');
  return found;
}

/** Every other block that a reader is told to paste, except the test command, which runs by itself. */
export function tryCommands(readme: string): string[] {
  return shellBlocks(readme).filter((block) => block !== 'npm start' && block !== 'npm test');
}
