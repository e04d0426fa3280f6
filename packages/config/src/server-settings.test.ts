import { describe, expect, it } from 'vitest';
import { loadConfig, serverSettings, toDrainSeconds } from './index.ts';

const settings = serverSettings({ port: { env: 'PORT', default: 3000 }, databaseFile: 'notes.db' });
const load = (env: Record<string, string>) => loadConfig(settings, env);

describe('the drain period', () => {
  it('is 5 seconds in production and none elsewhere', () => {
    expect(toDrainSeconds(load({ NODE_ENV: 'production' }))).toBe(5);
    expect(toDrainSeconds(load({}))).toBe(0);
  });

  it('is DRAIN_SECONDS in every environment, including 0', () => {
    expect(toDrainSeconds(load({ NODE_ENV: 'production', DRAIN_SECONDS: '0' }))).toBe(0);
    expect(toDrainSeconds(load({ DRAIN_SECONDS: '30' }))).toBe(30);
    expect(() => load({ DRAIN_SECONDS: '601' })).toThrow(
      /DRAIN_SECONDS: must be a whole number from 0 to 600/,
    );
  });
});

describe('the settings of a server', () => {
  it('have defaults for development', () => {
    expect(load({})).toEqual({
      mode: 'development',
      host: '127.0.0.1',
      port: 3000,
      trustedProxyHops: 0,
      canMigrate: true,
      storageUrl: 'sqlite:./data/notes.db',
      logLevel: 'info',
      tracesSampler: 'parentbased_always_on',
      tracesSamplerRatio: 1,
      trustsTraceContext: false,
    });
  });

  it.each([
    ['STORAGE_URL', 'sqlite:', 'must be sqlite:<path of a file> or mongodb://<host>'],
    ['STORAGE_URL', 'postgres://host/db', 'must be sqlite:<path of a file> or mongodb://<host>'],
    ['REDIS_URL', 'redis://', 'must be a redis:// or rediss:// URL'],
    ['REDIS_URL', 'http://host', 'must be a redis:// or rediss:// URL'],
    ['LOG_LEVEL', 'loud', 'must be fatal, error, warn, info, debug, trace or silent'],
    ['NODE_ENV', 'staging', 'must be development, production or test'],
  ])('refuse %s=%s', (name, value, problem) => {
    expect(() => load({ [name]: value })).toThrow(
      expect.objectContaining({ problems: [`${name}: ${problem}`] }),
    );
  });

  it.each(['redis://127.0.0.1', 'rediss://:secret@[::1]:6380/1'])('accept REDIS_URL=%s', (redisUrl) => {
    expect(load({ REDIS_URL: redisUrl }).redisUrl).toBe(redisUrl);
  });
});
