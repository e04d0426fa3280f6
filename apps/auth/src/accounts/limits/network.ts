import { isIPv6 } from 'node:net';

const GROUPS = 8;
const PREFIX_GROUPS = 4;

/**
 * Returns the key of an address in rate limits: the address itself, or its /64 in IPv6. One subscriber has all 2^64
 * addresses of a /64 (RFC 6177 §2).
 */
export function toNetwork(address: string): string {
  if (!isIPv6(address)) return address;
  // The URL parser returns the shortest form, with an embedded IPv4 address in hexadecimal.
  const [head = '', tail] = new URL(`http://[${address.split('%')[0]}]`).hostname.slice(1, -1).split('::');
  const left = parseGroups(head);
  const right = parseGroups(tail ?? '');
  const zeros = Array.from({ length: GROUPS - left.length - right.length }, () => '0');
  return `${[...left, ...zeros, ...right].slice(0, PREFIX_GROUPS).join(':')}::/64`;
}

function parseGroups(text: string): string[] {
  return text.split(':').filter((group) => group !== '');
}
