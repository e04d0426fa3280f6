import { describe, expect, it } from 'vitest';
import { createSealer, deriveKey } from './sealing.ts';

const masterSecret = 'a-master-secret-of-some-length-0';
const sealer = createSealer(deriveKey(masterSecret, 'tests'));
const plaintext = Buffer.from('{"secret":"value"}');

describe('sealing (NIST SP 800-38D)', () => {
  it('opens sealed data with the same associated data', () => {
    const sealed = sealer.seal(plaintext, 'place');
    expect(sealer.open(sealed, 'place')).toEqual(plaintext);
  });

  it('opens an empty plaintext', () => {
    expect(sealer.open(sealer.seal(new Uint8Array(), 'place'), 'place')).toHaveLength(0);
  });

  it('reveals nothing of the plaintext and never repeats its output', () => {
    const [first, second] = [sealer.seal(plaintext, 'place'), sealer.seal(plaintext, 'place')];
    expect(Buffer.from(first).includes('secret')).toBe(false);
    expect(first).not.toEqual(second);
  });

  it('never reuses a nonce (§8)', () => {
    const nonces = Array.from({ length: 2_000 }, () => sealer.seal(plaintext, 'place').slice(0, 12));
    expect(new Set(nonces.map((nonce) => Buffer.from(nonce).toString('hex'))).size).toBe(2_000);
  });

  it('does not open with other associated data', () => {
    expect(() => sealer.open(sealer.seal(plaintext, 'place'), 'other place')).toThrow('does not open');
  });

  it('does not open with another key', () => {
    const other = createSealer(deriveKey('another-master-secret-of-length-1', 'tests'));
    expect(() => other.open(sealer.seal(plaintext, 'place'), 'place')).toThrow('does not open');
  });

  it('does not open after any single bit was altered', () => {
    const sealed = sealer.seal(plaintext, 'place');
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const altered = Uint8Array.from(sealed, (byte, i) => (i === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));
      expect(() => sealer.open(altered, 'place')).toThrow('does not open');
    }
  });

  it('does not open after truncation', () => {
    const sealed = sealer.seal(plaintext, 'place');
    for (let length = 0; length < sealed.length; length++) {
      expect(() => sealer.open(sealed.subarray(0, length), 'place')).toThrow('does not open');
    }
  });
});

describe('deriving keys (RFC 5869)', () => {
  it('returns the same 32 bytes for the same secret and purpose', () => {
    expect(deriveKey(masterSecret, 'one')).toHaveLength(32);
    expect(deriveKey(masterSecret, 'one')).toEqual(deriveKey(masterSecret, 'one'));
  });

  it('returns another key for another purpose or secret', () => {
    expect(deriveKey(masterSecret, 'one')).not.toEqual(deriveKey(masterSecret, 'two'));
    expect(deriveKey(masterSecret, 'one')).not.toEqual(deriveKey(`${masterSecret}!`, 'one'));
  });
});
