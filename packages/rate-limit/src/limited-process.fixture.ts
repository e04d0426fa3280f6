import { setTimeout as sleep } from 'node:timers/promises';
import { startLimitedServer } from './limited-server.fixture.ts';
import { openRedis } from './redis-connection.ts';

// A process of its own around the limited server: takes the URL of Redis, prints its own when connected, and ends
// with whoever holds its standard input.
const redis = openRedis(process.argv[2] ?? '');
redis.client.options.commandTimeout = 10_000; // an answer that comes late on a busy machine is no outage here
while (!redis.isUsable()) await sleep(10);
const { url } = await startLimitedServer(redis);
process.stdout.write(`${url}\n`);
process.stdin.resume().once('end', () => process.exit());
