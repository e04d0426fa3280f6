import { BlockList, isIP } from 'node:net';

/** Networks outside the public internet (RFC 6890 and the IANA special-purpose registries). */
const privateNetworks = {
  ipv4: [
    ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
    ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15'],
    ...['198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
  ],
  // Networks with an embedded IPv4 address (NAT64, SIIT, 6to4, Teredo, IPv4-compatible) route wherever it does.
  ipv6: [
    ...[
      '::/96',
      '::ffff:0:0:0/96',
      '64:ff9b::/96',
      '64:ff9b:1::/48',
      '100::/64',
      '2001::/23',
      '2001:db8::/32',
      '2002::/16',
    ],
    ...['3fff::/20', '5f00::/16', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
  ],
} as const;

/** Creates the predicate for private addresses; text that is not an address counts as private. */
export function createPrivateAddressCheck(): (address: string) => boolean {
  const list = new BlockList();
  for (const family of ['ipv4', 'ipv6'] as const)
    for (const network of privateNetworks[family]) {
      const [prefix = '', length] = network.split('/');
      list.addSubnet(prefix, Number(length), family);
    }

  return (address) => {
    const [bare = ''] = address.split('%');
    const family = isIP(bare);
    // An IPv4-mapped IPv6 address (`::ffff:`) is matched against the IPv4 networks.
    return family === 0 || list.check(bare, family === 4 ? 'ipv4' : 'ipv6');
  };
}
