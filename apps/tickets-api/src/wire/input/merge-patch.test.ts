import { describe, expect, it } from 'vitest';
import { applyMergePatch, patchMembers } from './merge-patch.ts';

describe('applyMergePatch', () => {
  it.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('matches RFC 7396 Appendix A: %j with %j is %j', (target, patch, expected) => {
    expect(applyMergePatch(target, patch)).toEqual(expected);
  });

  it('does not modify target and patch', () => {
    const target = Object.freeze({ a: Object.freeze({ b: 1, c: 2 }) });
    const patch = Object.freeze({ a: Object.freeze({ b: null }) });
    expect(applyMergePatch(target, patch)).toEqual({ a: { c: 2 } });
  });

  it('cannot modify a prototype', () => {
    const patched = applyMergePatch({}, JSON.parse('{"__proto__":{"polluted":true}}')) as object;
    expect('polluted' in patched).toBe(false);
    expect('polluted' in {}).toBe(false);
  });
});

describe('patchMembers', () => {
  it('keeps null members that the resource does not have', () => {
    expect(patchMembers({ a: 'b', c: null }, { a: null, c: null, d: null })).toEqual({ d: null });
  });
});
