import { createLogger } from './logger.ts';

// Logs numbered lines, as many as its one argument says, a thousand in a turn of the event loop. Says on the standard
// error when all are logged, logs one more when its standard input ends, and ends.
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
