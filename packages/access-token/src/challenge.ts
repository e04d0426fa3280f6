/** The ways to present a token: RFC 6750 §2.1 and RFC 9449 §7.1. */
export type Scheme = 'Bearer' | 'DPoP';

/** Makes the `WWW-Authenticate` header of a refusal from the parameters of RFC 6750 §3. */
export type Challenge = (parameters?: Readonly<Record<string, string>>) => { 'WWW-Authenticate': string };

/** By the scheme that the request used, or `any` when that is none or more than one. */
export type Challenges = Readonly<Record<Scheme | 'any', Challenge>>;

/** The characters that RFC 6750 §3 allows in parameter values. */
export const quotable = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

/**
 * The challenges of one protected resource; each points at its metadata (RFC 9728 §5.1). Every scheme that it
 * accepts is offered, and the one that was used tells what went wrong (RFC 9449 §7.2).
 *
 * @throws {TypeError} when a value cannot stand in a quoted string
 */
export function createChallenges(options: {
  realm: string;
  resourceMetadataUrl: string;
  /** Of DPoP proofs; `undefined` when only bearer tokens are accepted. */
  proofAlgorithms?: readonly string[] | undefined;
}): Challenges {
  const { realm, resourceMetadataUrl, proofAlgorithms } = options;
  const offers: [Scheme, Record<string, string>][] = [['Bearer', { realm }]];
  if (proofAlgorithms) offers.push(['DPoP', { realm, algs: proofAlgorithms.join(' ') }]);

  const challengeOf = (used: Scheme | 'any'): Challenge =>
    function challenge(parameters = {}) {
      const challenges = offers.map(([scheme, own]) => {
        const told = used === 'any' || used === scheme ? parameters : {};
        return toText(scheme, { ...own, ...told, resource_metadata: resourceMetadataUrl });
      });
      return { 'WWW-Authenticate': challenges.join(', ') };
    };

  const challenges = { Bearer: challengeOf('Bearer'), DPoP: challengeOf('DPoP'), any: challengeOf('any') };
  challenges.any(); // what is wrong in the settings shows at start, not at the first refusal
  return challenges;
}

function toText(scheme: Scheme, parameters: Readonly<Record<string, string>>): string {
  const all = Object.entries(parameters).map(([name, value]) => `${name}=${quote(value)}`);
  return `${scheme} ${all.join(', ')}`;
}

function quote(value: string): string {
  if (!quotable.test(value)) throw new TypeError(`A challenge cannot carry ${JSON.stringify(value)}.`);
  return `"${value}"`;
}
