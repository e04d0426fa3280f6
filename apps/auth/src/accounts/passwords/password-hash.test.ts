import { describe, expect, it } from 'vitest';
import { createDecoyHash, hashPassword, isOutdated, isPasswordOf } from './password-hash.ts';

const cheap = { memoryKib: 64, passes: 1, parallelism: 1 };

describe('a password hash (RFC 9106, PHC string format)', () => {
  it('is compatible with the reference implementation', async () => {
    // From the test suite of the reference implementation, P-H-C/phc-winner-argon2.
    const reference =
      '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
    expect(await isPasswordOf(reference, 'password')).toBe(true);
    expect(await isPasswordOf(reference, 'Password')).toBe(false);
  });

  it('contains its cost parameters and is different every time', async () => {
    const hashes = await Promise.all([hashPassword('secret', cheap), hashPassword('secret', cheap)]);
    for (const hash of hashes) {
      expect(hash).toMatch(/^\$argon2id\$v=19\$m=64,t=1,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
      expect(await isPasswordOf(hash, 'secret')).toBe(true);
      expect(await isPasswordOf(hash, 'secret ')).toBe(false);
    }
    expect(hashes[0]).not.toBe(hashes[1]);
  });

  it('is outdated if it has other cost parameters', async () => {
    const hash = await hashPassword('secret', cheap);
    expect(isOutdated(hash, cheap)).toBe(false);
    for (const other of [{ memoryKib: 128 }, { passes: 2 }, { parallelism: 2 }])
      expect(isOutdated(hash, { ...cheap, ...other })).toBe(true);
  });

  it('that is a decoy matches no password', async () => {
    const decoy = createDecoyHash(cheap);
    for (const guess of ['', 'secret', decoy]) expect(await isPasswordOf(decoy, guess)).toBe(false);
  });

  it.each(['', 'secret', '$2b$12$abc', '$argon2i$v=19$m=64,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO0'])(
    'in another format, such as %j, is rejected with an error',
    async (hash) => {
      await expect(isPasswordOf(hash, hash)).rejects.toThrow('not in PHC format');
    },
  );
});
