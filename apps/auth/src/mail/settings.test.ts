import { loadConfig } from '@keydesk/config';
import { describe, expect, it } from 'vitest';
import { mailProblems, mailSettings } from './settings.ts';

describe('mail settings', () => {
  it('write mails to files by default', () => {
    expect(loadConfig(mailSettings, {})).toEqual({
      mailFrom: 'Keydesk <no-reply@localhost>',
      operatorLanguage: 'en',
      mailFolder: './data/mail',
    });
  });

  it.each([
    { SMTP_URL: 'http://user:hunter2@host' },
    { SMTP_URL: 'hunter2' },
    { MAIL_FROM: 'Keydesk' },
    { MAIL_FROM: 'Keydesk <no-reply@example.org>\r\nBcc: eve@example.org' },
    { MAIL_FROM: 'a@example.org, b@example.org' },
    { OPERATOR_EMAIL: 'Ops <ops@example.org>' },
    { OPERATOR_LANGUAGE: 'tlh' },
  ])('reject %j without repeating a password', (env) => {
    const load = () => loadConfig(mailSettings, env);
    expect(load).toThrow(Object.keys(env)[0]);
    expect(load).not.toThrow('hunter2');
  });

  it('are rejected in production without a server and a sender', () => {
    expect(mailProblems(loadConfig(mailSettings, {}))).toEqual([
      expect.stringMatching(/^SMTP_URL: /),
      expect.stringMatching(/^MAIL_FROM: /),
    ]);
    const env = { SMTP_URL: 'smtps://mail.example.org', MAIL_FROM: 'Help <help@example.org>' };
    expect(mailProblems(loadConfig(mailSettings, env))).toEqual([]);
  });
});
