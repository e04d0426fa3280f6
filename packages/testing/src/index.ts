export { type RedisServer, type RedisServerOptions, startRedis } from './redis-server.ts';
export { describeWith, findService, type Service } from './services.ts';
