import { describe, expect, it } from 'vitest';
import {
  type KeyTimings,
  keyRemovalDateOf,
  keyStateOf,
  planKeys,
  removeKey,
  rotateKeys,
} from './key-schedule.ts';
import type { StoredKey } from './key-store.ts';

const timings: KeyTimings = {
  publicationLeadMs: 1_000,
  takeOverLeadMs: 100,
  retentionMs: 500,
  rotationMs: 0,
};
const at = (ms: number) => new Date(ms);

function key(
  kid: string,
  createdAt: number,
  activeFrom: number | null,
  algorithm: StoredKey['algorithm'] = 'ES256',
) {
  const from = activeFrom === null ? null : at(activeFrom);
  return { kid, algorithm, sealedJwk: new Uint8Array(), createdAt: at(createdAt), activeFrom: from };
}

const statesOf = (keys: readonly StoredKey[], now: number) =>
  Object.fromEntries(keys.map((each) => [each.kid, keyStateOf(each, keys, at(now))]));
const kidsOf = (keys: readonly StoredKey[]) => keys.map(({ kid }) => kid);

describe('the key set', () => {
  it('starts with a current key and a next one', () => {
    expect(planKeys([], ['ES256'], at(7), timings)).toEqual({
      keys: [],
      missing: [
        { algorithm: 'ES256', activeFrom: at(7) },
        { algorithm: 'ES256', activeFrom: null },
      ],
    });
  });

  it('needs no change while one key is current and one is next', () => {
    const keys = [key('a', 0, 0), key('b', 0, null)];
    expect(planKeys(keys, ['ES256'], at(1_000_000), timings)).toEqual({ keys, missing: [] });
    expect(statesOf(keys, 1_000_000)).toEqual({ a: 'current', b: 'next' });
  });

  it('activates a rotation after every process had time to read it', () => {
    const rotated = rotateKeys([key('a', 0, 0), key('b', 0, null)], at(5_000), timings);
    expect(rotated.find(({ kid }) => kid === 'b')?.activeFrom).toEqual(at(5_100));
    expect(statesOf(rotated, 5_099)).toEqual({ a: 'current', b: 'next' });
    expect(statesOf(rotated, 5_100)).toEqual({ a: 'retired', b: 'current' });
  });

  it('activates no key before it has been published for the lead time', () => {
    const rotated = rotateKeys([key('a', 0, 0), key('b', 4_500, null)], at(5_000), timings);
    expect(rotated.find(({ kid }) => kid === 'b')?.activeFrom).toEqual(at(5_500));
  });

  it('gets a new next key as soon as the old one is scheduled, to publish it early', () => {
    const rotated = rotateKeys([key('a', 0, 0), key('b', 0, null)], at(5_000), timings);
    expect(planKeys(rotated, ['ES256'], at(5_000), timings).missing).toEqual([
      { algorithm: 'ES256', activeFrom: null },
    ]);
  });

  it('retains a retired key exactly until its last token has expired', () => {
    const keys = [key('a', 0, 0), key('b', 0, 5_000), key('c', 5_000, null)];
    const [retired] = keys;
    expect(retired && keyRemovalDateOf(retired, keys, timings)).toEqual(at(5_500));
    expect(kidsOf(planKeys(keys, ['ES256'], at(5_499), timings).keys)).toEqual(['a', 'b', 'c']);
    expect(kidsOf(planKeys(keys, ['ES256'], at(5_500), timings).keys)).toEqual(['b', 'c']);
  });

  it('supports several rotations in a row, each taking over in order', () => {
    let keys: readonly StoredKey[] = rotateKeys([key('a', 0, 0), key('b', 0, null)], at(5_000), timings);
    keys = rotateKeys([...keys, key('c', 5_000, null)], at(5_001), timings);
    expect(statesOf(keys, 5_050)).toEqual({ a: 'current', b: 'next', c: 'next' });
    expect(statesOf(keys, 5_200)).toEqual({ a: 'retired', b: 'current', c: 'next' });
    expect(statesOf(keys, 6_000)).toEqual({ a: 'retired', b: 'retired', c: 'current' });
  });

  it('rotates automatically once when the current key has reached the maximum age', () => {
    const yearly = { ...timings, rotationMs: 10_000 };
    const keys = [key('a', 0, 0), key('b', 0, null)];
    expect(planKeys(keys, ['ES256'], at(9_999), yearly).keys).toEqual(keys);
    const { keys: rotated } = planKeys(keys, ['ES256'], at(10_000), yearly);
    expect(rotated.find(({ kid }) => kid === 'b')?.activeFrom).toEqual(at(10_100));
    expect(planKeys([...rotated, key('c', 10_000, null)], ['ES256'], at(10_050), yearly).missing).toEqual([]);
  });

  it('has a current key even if the clock is behind all of them', () => {
    expect(statesOf([key('a', 1_000, 1_000), key('b', 1_000, null)], 0)).toEqual({ a: 'current', b: 'next' });
  });

  it('schedules each algorithm separately', () => {
    const keys = [key('e', 0, 0), key('e2', 0, null), key('r', 0, 0, 'RS256')];
    expect(planKeys(keys, ['ES256', 'RS256'], at(1), timings).missing).toEqual([
      { algorithm: 'RS256', activeFrom: null },
    ]);
    expect(statesOf(keys, 1)).toEqual({ e: 'current', e2: 'next', r: 'current' });
  });

  it('keeps keys of unknown algorithms, which a newer version has created', () => {
    const keys = [key('e', 0, 0), key('e2', 0, null), key('r', 0, 0, 'RS256')];
    expect(planKeys(keys, ['ES256'], at(1), timings)).toEqual({ keys, missing: [] });
  });
});

describe('removing a compromised key', () => {
  const succession = [key('a', 0, 0), key('b', 0, 100), key('c', 0, 5_000), key('d', 0, null)];

  it('takes effect at once for the current key, and its successor becomes current', () => {
    const left = removeKey(succession, 'b', at(200));
    expect(statesOf(left, 200)).toEqual({ a: 'retired', c: 'current', d: 'next' });
    expect(planKeys(left, ['ES256'], at(200), timings)).toEqual({ keys: left, missing: [] });
  });

  it('activates a next key without a date and requires another one', () => {
    const left = removeKey([key('a', 0, 0), key('b', 0, null)], 'a', at(200));
    expect(left).toEqual([key('b', 0, 200)]);
    expect(planKeys(left, ['ES256'], at(200), timings).missing).toEqual([
      { algorithm: 'ES256', activeFrom: null },
    ]);
  });

  it('takes effect at once for retired and next keys, and the others stay', () => {
    expect(statesOf(removeKey(succession, 'a', at(200)), 200)).toEqual({
      b: 'current',
      c: 'next',
      d: 'next',
    });
    expect(statesOf(removeKey(succession, 'c', at(200)), 200)).toEqual({
      a: 'retired',
      b: 'current',
      d: 'next',
    });
  });

  it('requires two new keys if it was the last, and keeps other algorithms unchanged', () => {
    const other = key('r', 0, 0, 'RS256');
    const left = removeKey([key('a', 0, 0), other], 'a', at(200));
    expect(left).toEqual([other]);
    expect(planKeys(left, ['ES256'], at(200), timings).missing).toEqual([
      { algorithm: 'ES256', activeFrom: at(200) },
      { algorithm: 'ES256', activeFrom: null },
    ]);
  });
});
