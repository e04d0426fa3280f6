/** Authentication schemes of access tokens: RFC 6750 §2.1 and RFC 9449 §7.1. */
export type Scheme = 'Bearer' | 'DPoP';

/** Creates a `WWW-Authenticate` header with the parameters of RFC 6750 §3. */
export type Challenge = (parameters?: Readonly<Record<string, string>>) => { 'WWW-Authenticate': string };

/** Challenges by the scheme of the request; `any` applies when it used none or more than one. */
export type Challenges = Readonly<Record<Scheme | 'any', Challenge>>;

/** The characters that RFC 6750 §3 allows in parameter values. */
export const quotedStringPattern = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

/**
 * Creates the challenges of a protected resource; each links to its metadata (RFC 9728 §5.1). Every accepted
 * scheme is offered, and the challenge of the used scheme carries the error (RFC 9449 §7.2).
 *
 * @throws {TypeError} when a quoted string cannot contain a value
 */
export function createChallenges(options: {
  realm: string;
  resourceMetadataUrl: string;
  /** Algorithms of DPoP proofs; `undefined` when only bearer tokens are accepted. */
  proofAlgorithms?: readonly string[] | undefined;
}): Challenges {
  const { realm, resourceMetadataUrl, proofAlgorithms } = options;
  const offers: [Scheme, Record<string, string>][] = [['Bearer', { realm }]];
  if (proofAlgorithms) offers.push(['DPoP', { realm, algs: proofAlgorithms.join(' ') }]);

  const challengeOf = (used: Scheme | 'any'): Challenge =>
    function challenge(parameters = {}) {
      const challenges = offers.map(([scheme, own]) => {
        const errorParameters = used === 'any' || used === scheme ? parameters : {};
        return formatChallenge(scheme, {
          ...own,
          ...errorParameters,
          resource_metadata: resourceMetadataUrl,
        });
      });
      return { 'WWW-Authenticate': challenges.join(', ') };
    };

  const challenges = { Bearer: challengeOf('Bearer'), DPoP: challengeOf('DPoP'), any: challengeOf('any') };
  challenges.any(); // fail at start on an invalid setting, not at the first rejected request
  return challenges;
}

function formatChallenge(scheme: Scheme, parameters: Readonly<Record<string, string>>): string {
  const all = Object.entries(parameters).map(([name, value]) => `${name}=${quote(value)}`);
  return `${scheme} ${all.join(', ')}`;
}

function quote(value: string): string {
  if (!quotedStringPattern.test(value))
    throw new TypeError(`A challenge cannot contain ${JSON.stringify(value)}.`);
  return `"${value}"`;
}
