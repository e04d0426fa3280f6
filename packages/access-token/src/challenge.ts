/** Makes the `WWW-Authenticate` header of a refusal from the parameters of RFC 6750 §3. */
export type Challenge = (parameters?: Readonly<Record<string, string>>) => { 'WWW-Authenticate': string };

/** The characters that RFC 6750 §3 allows in parameter values. */
const quotable = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

/**
 * The challenges of one protected resource; each points at its metadata (RFC 9728 §5.1).
 *
 * @throws {TypeError} when a value cannot stand in a quoted string
 */
export function createChallenge(options: { realm: string; resourceMetadataUrl: string }): Challenge {
  const { realm, resourceMetadataUrl } = options;
  const toHeader: Challenge = (parameters = {}) => {
    const all = Object.entries({ realm, ...parameters, resource_metadata: resourceMetadataUrl });
    return {
      'WWW-Authenticate': `Bearer ${all.map(([name, value]) => `${name}=${quote(value)}`).join(', ')}`,
    };
  };
  toHeader(); // what is wrong in the settings shows at start, not at the first refusal
  return toHeader;
}

function quote(value: string): string {
  if (!quotable.test(value)) throw new TypeError(`A challenge cannot carry ${JSON.stringify(value)}.`);
  return `"${value}"`;
}
