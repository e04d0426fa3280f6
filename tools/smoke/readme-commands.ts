/** Returns the shell blocks (```sh) of a Markdown file in order; blocks not to be run are marked ```console. */
function shellBlocks(markdown: string): string[] {
  return [...markdown.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, body]) => String(body).trim());
}

/**
 * Returns the start command of the README.
 *
 * @throws {Error} when the README has none
 */
export function startCommand(readme: string): string {
  const found = shellBlocks(readme).find((block) => block === 'npm start');
  if (!found) throw new Error('the README has no `npm start` block');
  return found;
}

/** Returns all other shell blocks, except the test command, which CI runs separately. */
export function tryCommands(readme: string): string[] {
  return shellBlocks(readme).filter((block) => block !== 'npm start' && block !== 'npm test');
}
