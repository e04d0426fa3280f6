import { setTimeout as sleep } from 'node:timers/promises';
import { createReplayGuard, openRedis } from '@keydesk/rate-limit';
import { startResourceServer } from '../resource-server.fixture.ts';

// Runs the resource server in a separate process: prints its URL once connected to Redis, and exits when its
// standard input closes.
const { redisUrl, ...issuer } = JSON.parse(process.argv[2] ?? '');
const redis = openRedis(redisUrl);
redis.client.options.commandTimeout = 10_000; // a slow answer on a busy machine is not an outage here
while (!redis.isUsable()) await sleep(10);
const replayGuard = createReplayGuard({ redis, keyPrefix: 'proofs' });
const { url } = await startResourceServer(issuer, { proofs: { replayGuard } });
process.stdout.write(`${url}\n`);
process.stdin.resume().once('end', () => process.exit());
