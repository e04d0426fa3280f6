import type { Samples } from '../samples.fixture.ts';
import { shell } from './account.fixture.ts';

const day = new Date('2026-02-14T10:00:00Z');
const deletion = { action: '/account/delete', csrf: 'b1f9c0d2' };

export const leavingSamples = {
  renderDownloadData: {
    'download-data': {
      shell,
      form: { action: '/account/data', csrf: 'b1f9c0d2' },
      links: { account: '/account' },
    },
  },
  renderDeleteAccount: {
    'delete-account': {
      shell,
      form: deletion,
      day,
      links: { cancel: '/account', downloadData: '/account/data' },
    },
    'delete-account-last-administrator': {
      shell,
      form: { ...deletion, problems: [{ code: 'last_administrator' }] },
      day,
      links: { cancel: '/account', downloadData: '/account/data' },
    },
  },
  renderKeepAccount: {
    'keep-account': {
      form: { action: '/keep-account', csrf: 'b1f9c0d2' },
      email: 'ada@example.org',
      day,
      links: { signOut: '/session/end' },
    },
  },
} satisfies Partial<Samples>;
