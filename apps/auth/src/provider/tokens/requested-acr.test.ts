import { describe, expect, it } from 'vitest';
import { acrValues } from '../../accounts/account/authentication.ts';
import { acrRequestOf, meetsAcrRequest, reportedAcrOf, requiredAcrOf } from './requested-acr.ts';

const [password, multiFactor, phishingResistant] = acrValues;
const asClaims = (acr: object) => JSON.stringify({ id_token: { acr } });
const list = (...values: string[]) => ({ acr_values: values.join(' ') });
const essential = (...values: string[]) => ({ claims: asClaims({ essential: true, values }) });

describe('the classes that a request asks for (OpenID Connect Core §5.5.1.1, RFC 9470 §5)', () => {
  it.each([
    ['acr_values', list(multiFactor, password), [multiFactor, password], true],
    ['a voluntary value', { claims: asClaims({ value: multiFactor }) }, [multiFactor], false],
    [
      'an essential value',
      { claims: asClaims({ essential: true, value: multiFactor }) },
      [multiFactor],
      true,
    ],
    ['essential values', essential(phishingResistant, multiFactor), [phishingResistant, multiFactor], true],
    ['essential values beside acr_values', { ...list(password), ...essential('phr') }, ['phr'], true],
    ['offered classes among others', list('urn:gold', multiFactor), [multiFactor], true],
  ])('are those of %s', (_, parameters, values, isRequired) => {
    expect(acrRequestOf(parameters)).toEqual({ values, isRequired });
  });

  it.each([
    ['without parameters', {}],
    ['whose classes are not offered', list('urn:gold', 'urn:silver')],
    ['whose essential acr has no value', { claims: asClaims({ essential: true }) }],
    ['for another claim', { claims: JSON.stringify({ id_token: { auth_time: null }, userinfo: {} }) }],
  ])('are none of a request %s', (_, parameters) => {
    expect(acrRequestOf(parameters)).toBeUndefined();
    expect(requiredAcrOf({ params: parameters })).toBeUndefined();
    expect(meetsAcrRequest(parameters, undefined)).toBe(true);
  });

  it('are satisfied by the weakest of them, and by each stronger class', () => {
    const request = list(phishingResistant, multiFactor);
    expect(requiredAcrOf({ params: request })).toBe(multiFactor);
    const results = [undefined, 'urn:gold', ...acrValues].map((acr) => meetsAcrRequest(request, acr));
    expect(results).toEqual([false, false, false, true, true]);
  });
});

describe('the acr of the tokens (OpenID Connect Core §2, §5.5.1.1)', () => {
  it.each([
    ['the class of the sign-in without a request', {}, phishingResistant, phishingResistant],
    ['the class of the sign-in if it does not suffice', list(multiFactor), password, password],
    [
      'the requested class if the sign-in is stronger',
      essential(multiFactor),
      phishingResistant,
      multiFactor,
    ],
    ['the preferred one of the requested classes', list(password, 'phr'), phishingResistant, password],
    ['the best of them that the sign-in reached', list('phr', multiFactor), multiFactor, multiFactor],
    ['nothing if the sign-in has no class', list(password), undefined, undefined],
  ])('is %s', (_, parameters, signedIn, reported) => {
    expect(reportedAcrOf(parameters, signedIn)).toBe(reported);
  });
});
