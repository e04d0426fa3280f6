import { createLogger } from './logger.ts';

// Logs as many numbered lines as its argument, a thousand per turn of the event loop, and then reports this on
// standard error. Logs a last line when its standard input ends, and exits.
const log = createLogger({ name: 'test', level: 'info', isPretty: false });
const count = Number(process.argv[2]);
for (let n = 0; n < count; n += 1) {
  if (n % 1_000 === 0) await new Promise((resolve) => setImmediate(resolve));
  log.info({ n }, 'x'.repeat(200));
}
process.stderr.write('all are logged\n');
process.stdin.resume().once('end', () => {
  log.info('last');
  setTimeout(() => process.exit(0), 300);
});
