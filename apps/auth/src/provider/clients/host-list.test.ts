import { describe, expect, it } from 'vitest';
import { hostList, isHostListed } from './host-list.ts';

describe('a host list', () => {
  it('matches exact names and names below a domain, in any case and with a trailing dot', () => {
    const list = hostList.parse('app.example, *.Example.COM  münchen.example [::1]');
    for (const host of ['app.example', 'app.example.', 'a.example.com', 'a.b.example.com.', '[::1]'])
      expect(isHostListed(host, list), host).toBe(true);
    expect(isHostListed('xn--mnchen-3ya.example', list)).toBe(true);
    for (const host of ['example.com', 'badexample.com', 'example.com.evil.test', 'b.app.example', ''])
      expect(isHostListed(host, list), host).toBe(false);
  });

  it('is empty by default', () => {
    expect(hostList.parse(undefined)).toEqual([]);
  });

  it.each(['*', '*.', 'a.*.example', 'https://app.example', 'app.example/x', 'app.example:8443', 'a@b'])(
    'rejects %s',
    (text) => {
      expect(hostList.safeParse(text).success).toBe(false);
    },
  );
});
