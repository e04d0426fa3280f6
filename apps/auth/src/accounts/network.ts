import { isIPv6 } from 'node:net';

const GROUPS = 8;
const PREFIX_GROUPS = 4;

/**
 * What limits count an address as: itself, or for IPv6 its /64, of which one subscriber has all 2^64 addresses (RFC
 * 6177 §2).
 */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  // The URL parser writes an address in its shortest form, and one in it in hexadecimal.
  const [head = '', tail] = new URL(`http://[${address.split('%')[0]}]`).hostname.slice(1, -1).split('::');
  const left = groupsOf(head);
  const right = groupsOf(tail ?? '');
  const zeros = Array.from({ length: GROUPS - left.length - right.length }, () => '0');
  return `${[...left, ...zeros, ...right].slice(0, PREFIX_GROUPS).join(':')}::/64`;
}

function groupsOf(text: string): string[] {
  return text.split(':').filter((group) => group !== '');
}
