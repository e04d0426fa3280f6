import { describe, expect, it } from 'vitest';
import { acrValues, satisfiesAcr, toAcr } from './authentication.ts';

const [password, multiFactor, phishingResistant] = acrValues;

describe('the class of a sign-in (OpenID Connect Core §2, acr)', () => {
  it.each([
    { methods: ['pwd'], acr: password },
    { methods: ['pwd', 'otp', 'mfa'], acr: multiFactor },
    { methods: ['swk', 'user', 'mfa'], acr: phishingResistant },
    { methods: ['hwk', 'user', 'mfa'], acr: phishingResistant },
    { methods: ['hwk'], acr: undefined },
    { methods: [], acr: undefined },
  ])('of $methods is $acr', ({ methods, acr }) => {
    expect(toAcr(methods)).toBe(acr);
  });

  it('includes every weaker class and no stronger one', () => {
    expect(acrValues.map((required) => satisfiesAcr(multiFactor, required))).toEqual([true, true, false]);
  });

  it('satisfies only offered classes, and none if it has no class', () => {
    expect(satisfiesAcr(phishingResistant, 'urn:example:gold')).toBe(false);
    expect(satisfiesAcr('urn:example:gold', password)).toBe(false);
    expect(satisfiesAcr(undefined, password)).toBe(false);
  });
});
