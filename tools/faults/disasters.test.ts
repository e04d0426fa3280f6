import { describe, expect, it } from 'vitest';
import { createDisasters } from './disasters.ts';
import type { Fault } from './run-fault.ts';

const page = 'http://127.0.0.1:4000/interaction/abc/consent';

describe('a clock that jumps', () => {
  it('explains a consent page that expired while the user read it', () => {
    const explained = clockFaults().map(({ explains }) =>
      explains?.test(`Error: consent: 400 error-interaction-expired ${page}`),
    );
    expect(explained).toEqual([true, true]);
  });

  it.each([`Error: consent: 400  ${page}`, `Error: consent: 400 error-csrf ${page}`, `POST ${page}: 500`])(
    'does not explain "%s"',
    (fault) => {
      expect(clockFaults().map(({ explains }) => explains?.test(fault))).toEqual([false, false]);
    },
  );
});

function clockFaults(): Fault[] {
  const disasters = createDisasters({
    disk: { folder: '', makeReadOnly: () => undefined, repair: () => undefined, unmount: () => undefined },
    clockFile: 'clock',
    port: 0,
    pid: () => 0,
    restart: async () => undefined,
    stream: undefined,
  });
  return disasters.filter(({ name }) => name.startsWith('the clock'));
}
