import { setTimeout as sleep } from 'node:timers/promises';
import { startLimitedServer } from './limited-server.fixture.ts';
import { openRedis } from './redis-connection.ts';

// Runs the limited server in a separate process: takes the URL of Redis, prints its own URL once connected, and exits
// when its standard input closes.
const redis = openRedis(process.argv[2] ?? '');
redis.client.options.commandTimeout = 10_000; // a slow answer on a busy machine is not an outage here
while (!redis.isUsable()) await sleep(10);
const { url } = await startLimitedServer(redis);
process.stdout.write(`${url}\n`);
process.stdin.resume().once('end', () => process.exit());
