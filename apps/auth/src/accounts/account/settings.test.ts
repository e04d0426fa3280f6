import { ConfigError, loadConfig } from '@keydesk/config';
import { describe, expect, it } from 'vitest';
import { accountSettings } from './settings.ts';

describe('the settings of accounts', () => {
  it('have safe defaults', () => {
    expect(loadConfig(accountSettings, {})).toMatchObject({
      isSignUpOpen: true,
      passwordMinLength: 10,
      passwordResetLinkTtlSeconds: 1_800,
      signInFailuresPerAccountAndNetwork: 10,
    });
  });

  it.each([
    ['false', false],
    ['0', false],
    ['true', true],
    ['1', true],
  ])('read SIGN_UP_OPEN=%s as %s', (text, isSignUpOpen) => {
    expect(loadConfig(accountSettings, { SIGN_UP_OPEN: text })).toMatchObject({ isSignUpOpen });
  });

  it.each([
    { SIGN_UP_OPEN: 'maybe' },
    { PASSWORD_MIN_LENGTH: '7' },
    { PASSWORD_MIN_LENGTH: '10.5' },
    { PASSWORD_HASH_CONCURRENCY: '0' },
    { PASSWORD_RESET_LINK_TTL_SECONDS: '0' },
    { SIGN_IN_FAILURES_PER_ACCOUNT: '-1' },
    { MAILS_PER_RECIPIENT: 'many' },
  ])('reject %j', (env) => {
    expect(() => loadConfig(accountSettings, env)).toThrow(ConfigError);
    expect(() => loadConfig(accountSettings, env)).toThrow(`${Object.keys(env)[0]}: must be `);
  });
});
