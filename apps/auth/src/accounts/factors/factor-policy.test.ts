import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { loadAuthConfig } from '../../config.ts';

const production = {
  NODE_ENV: 'production',
  ISSUER: 'https://auth.example.com',
  API_AUDIENCE: 'https://api.example.com',
  MASTER_SECRET: randomBytes(32).toString('base64url'),
  SMTP_URL: 'smtps://mail.example.com',
  MAIL_FROM: 'desk@example.com',
};
const load = (env: Record<string, string>) => loadAuthConfig(env).secondFactorRequiredFor;

describe('SECOND_FACTOR_REQUIRED_FOR (OWASP ASVS 5.0 §6.3.3)', () => {
  it('names agents and administrators in production, and no role in development', () => {
    expect(load(production)).toEqual(['agent', 'admin']);
    expect(loadAuthConfig(production).secondFactorGraceDays).toBe(0);
    expect(load({ ...production, NODE_ENV: 'development' })).toEqual([]);
  });

  it.each([
    ['none', []],
    ['customer', ['customer']],
    ['agent, customer', ['agent', 'customer']],
  ])('replaces the default: %s', (text, roles) => {
    expect(load({ ...production, SECOND_FACTOR_REQUIRED_FOR: text })).toEqual(roles);
  });

  it.each(['staff', 'agent,', 'none,agent'])('rejects %j', (text) => {
    expect(() => load({ ...production, SECOND_FACTOR_REQUIRED_FOR: text })).toThrow(
      'SECOND_FACTOR_REQUIRED_FOR: must be',
    );
  });
});
