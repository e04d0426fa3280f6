import { describe, expect, it } from 'vitest';
import { drainSecondsOf, drainSettings, loadConfig } from './index.ts';

const load = (env: Record<string, string>) => loadConfig(drainSettings, env);

describe('the drain period', () => {
  it('is 5 seconds in production and none elsewhere', () => {
    expect(drainSecondsOf(load({}), 'production')).toBe(5);
    expect(drainSecondsOf(load({}), 'development')).toBe(0);
  });

  it('is DRAIN_SECONDS in every environment, including 0', () => {
    expect(drainSecondsOf(load({ DRAIN_SECONDS: '0' }), 'production')).toBe(0);
    expect(drainSecondsOf(load({ DRAIN_SECONDS: '30' }), 'development')).toBe(30);
    expect(() => load({ DRAIN_SECONDS: '601' })).toThrow(
      /DRAIN_SECONDS: must be a whole number from 0 to 600/,
    );
  });
});
