import { createLogger } from './logger.ts';

// Logs two lines, then exits or throws depending on its argument.
const log = createLogger({ name: 'test', level: 'info', isPretty: false });
log.info('first');
log.info('last');
if (process.argv[2] === 'exits') process.exit(0);
throw new Error('unexpected');
