import type { Samples } from '../samples.fixture.ts';
import { shell } from './account.fixture.ts';

const thisDevice = {
  id: '5f0c7b2a9d3e4f61',
  device: { browser: 'Firefox', system: 'Linux', kind: 'computer' },
  address: '192.0.2.17',
  firstSeenAt: new Date('2026-01-12T08:05:00Z'),
  lastSeenAt: new Date('2026-01-31T09:40:00Z'),
  applications: [
    'Acme Desk for Android',
    'Donaudampfschifffahrtsgesellschaftskundendienst Außenstelle Regensburg',
  ],
} as const;

export const sessionSamples = {
  renderSessions: {
    sessions: {
      shell,
      csrf: 'b1f9c0d2',
      notice: { code: 'session_ended' },
      sessions: [
        thisDevice,
        {
          id: '0a1b2c3d4e5f6071',
          device: { browser: 'Safari', system: 'iOS', kind: 'phone' },
          address: '2001:db8:4a5c:9f10:7d3e:21ff:fe0b:88c4',
          firstSeenAt: new Date('2026-01-20T18:30:00Z'),
          lastSeenAt: new Date('2026-01-30T21:12:00Z'),
          applications: [],
          endAction: '/account/sessions/0a1b2c3d4e5f6071/end',
        },
        {
          id: '1122334455667788',
          device: { kind: 'other' },
          firstSeenAt: new Date('2026-01-19T10:00:00Z'),
          lastSeenAt: new Date('2026-01-19T10:00:00Z'),
          applications: ['Printshop Status'],
          endAction: '/account/sessions/1122334455667788/end',
        },
      ],
      endOthersAction: '/account/sessions/end-others',
      trustedDevices: [
        {
          id: '0199c0de-0000-7000-8000-000000000003',
          description: 'Chrome on Android',
          since: new Date('2026-01-20T18:31:00Z'),
          until: new Date('2026-02-19T18:31:00Z'),
        },
      ],
    },
    'sessions-one': { shell, csrf: 'b1f9c0d2', sessions: [thisDevice], trustedDevices: [] },
  },
  renderDisownSignIn: {
    'disown-sign-in': {
      form: { action: '/not-me', csrf: 'b1f9c0d2' },
      email: 'ada.lovelace@example.com',
      isAddressChanged: false,
      token: 'c2FtcGxl',
    },
    'disown-change': {
      form: { action: '/not-me', csrf: 'b1f9c0d2' },
      email: 'ada.lovelace@example.com',
      isAddressChanged: true,
      token: 'c2FtcGxl',
    },
  },
} satisfies Partial<Samples>;
