import { setTimeout as sleep } from 'node:timers/promises';
import { createReplayGuard, openRedis } from '@keydesk/rate-limit';
import { startResourceServer } from '../resource-server.fixture.ts';

// A process of its own around the resource server: prints its URL when connected to Redis, and ends with whoever
// holds its standard input.
const { redisUrl, ...issuer } = JSON.parse(process.argv[2] ?? '');
const redis = openRedis(redisUrl);
redis.client.options.commandTimeout = 10_000; // an answer that comes late on a busy machine is no outage here
while (!redis.isUsable()) await sleep(10);
const replayGuard = createReplayGuard({ redis, keyPrefix: 'proofs' });
const { url } = await startResourceServer(issuer, { proofs: { replayGuard } });
process.stdout.write(`${url}\n`);
process.stdin.resume().once('end', () => process.exit());
