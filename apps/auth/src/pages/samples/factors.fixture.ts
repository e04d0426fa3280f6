import { toQrCode } from '../qr-code.ts';
import type { Samples } from '../samples.fixture.ts';
import { shell } from './account.fixture.ts';

const form = { action: '/interaction/Xv3kQ/second-factor', csrf: 'b1f9c0d2' };
const application = { name: 'Printshop Status' };
const email = 'ada.lovelace@example.com';
const links = { signIn: '/interaction/Xv3kQ', cancel: '/interaction/Xv3kQ/cancel' };
const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const uri = `otpauth://totp/Acme%20Support:${email}?issuer=Acme%20Support&secret=${secret}`;
const offer = { secret, uri, qrCode: toQrCode(uri), sealed: 'sealed-7Kf2' };
const codes = Array.from({ length: 10 }, (_, i) => `7K2M-9XQ4-B0ZT-4WEH-83JD-RC5${i}`);

export const factorSamples = {
  renderSecondFactor: {
    'second-factor': { form, email, application, trustDays: 30, links },
    'second-factor-wrong': {
      form: { ...form, problems: [{ field: 'code', code: 'code_wrong' }] },
      email,
      trustDays: 30,
      links: { signIn: '/sign-in' },
    },
    'second-factor-recovery': {
      form: { ...form, problems: [{ field: 'recovery_code', code: 'recovery_code_wrong' }] },
      email,
      trustDays: 30,
      links: { signIn: '/sign-in' },
    },
    'second-factor-limited': {
      form: { ...form, problems: [{ code: 'too_many_attempts', values: { wait: 300 } }] },
      email,
      trustDays: 30,
      links: { signIn: '/sign-in' },
    },
  },
  renderPasskeyNeeded: {
    'passkey-needed': { application, links },
    'passkey-needed-account': { links: { signIn: '/sign-in' } },
  },
  renderSetUpTotp: {
    'set-up-totp': { ...offer, shell, form, purpose: 'chosen', links: { cancel: '/account' } },
    'set-up-totp-required': {
      ...offer,
      form,
      application,
      purpose: 'required',
      links: { cancel: '/cancel' },
    },
    'set-up-totp-offered': {
      ...offer,
      form: { ...form, problems: [{ field: 'code', code: 'code_wrong' }] },
      purpose: 'offered',
      later: { until: new Date('2026-02-28T10:00:00Z') },
      links: { cancel: '/cancel' },
    },
    'set-up-totp-replaced': {
      ...offer,
      shell,
      form: { ...form, problems: [{ field: 'code', code: 'code_missing' }] },
      purpose: 'replaced',
      links: { cancel: '/account' },
    },
  },
  renderTwoStep: {
    'two-step-off': {
      shell,
      isRequired: false,
      notice: { code: 'totp_removed' },
      links: { setUp: '/account/two-step/app' },
    },
    'two-step-on': {
      shell,
      totp: { since: new Date('2025-11-20T10:00:00Z'), unusedCodes: 8, hasFewCodes: false, form },
      isRequired: false,
      links: { setUp: '/account/two-step/app' },
    },
    'two-step-required': {
      shell,
      totp: { since: new Date('2025-11-20T10:00:00Z'), unusedCodes: 2, hasFewCodes: true, form },
      isRequired: true,
      links: { setUp: '/account/two-step/app' },
    },
  },
  renderRecoveryCodes: {
    'recovery-codes': { codes, email, goOn: form },
    'recovery-codes-account': { shell, codes, email, goOn: { href: '/account/two-step' } },
  },
} satisfies Partial<Samples>;
