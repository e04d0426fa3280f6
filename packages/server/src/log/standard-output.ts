/**
 * Opens the standard output of a command and returns a function that prints to it. A reader that closes the pipe early,
 * like `head`, is not an error. Other write errors are printed to standard error and set the exit code to 1.
 */
export function openStandardOutput(): (text: string) => void {
  process.stdout.on('error', (err: NodeJS.ErrnoException) => {
    if (err.code === 'EPIPE') return;
    process.stderr.write(`The output cannot be written: ${err.message}\n`);
    process.once('exit', () => {
      process.exitCode = 1;
    });
  });
  return (text) => void process.stdout.write(text);
}
