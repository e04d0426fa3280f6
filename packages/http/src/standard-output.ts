/**
 * Opens the standard output of a command, for text that is printed in parts. A reader that has had enough and goes
 * away, like `head`, is no failure. Whatever else keeps text from being written is told on the standard error, and
 * makes the exit code 1.
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
