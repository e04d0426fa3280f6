import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** An authenticator in software (WebAuthn Level 3 §6), with one passkey. Its members can be made to misbehave. */
export interface Authenticator {
  /** Credential id, base64url. */
  id: string;
  origin: string;
  rpId: string;
  /** Flags of the authenticator data (§6.1): UP 1, UV 4, BE 8, BS 16. */
  flags: number;
  counter: number;
  /** User handle, base64url; stored at creation. */
  userHandle: string | undefined;
  /** Answers `navigator.credentials.create`, as JSON. */
  create(options: CreationOptions, changes?: CreationChanges): string;
  /** Answers `navigator.credentials.get`, as JSON. */
  get(options: { challenge: string }, changes?: ClientDataChanges): string;
}

interface CreationOptions {
  challenge: string;
  user: { id: string };
}

type ClientDataChanges = Readonly<Record<string, unknown>>;

interface CreationChanges {
  clientData?: ClientDataChanges;
  /** COSE_Key in place of the authenticator's. */
  publicKey?: Buffer;
  attestationObject?: Buffer;
}

export const FLAGS = { UP: 1, UV: 4, BE: 8, BS: 16, AT: 64 };

/** Creates key pairs by COSE algorithm (RFC 9053 §2): ES256, EdDSA, RS256. */
const keyPairs = {
  [-7]: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  [-8]: () => generateKeyPairSync('ed25519'),
  [-257]: () => generateKeyPairSync('rsa', { modulusLength: 2_048 }),
};

/** Creates an authenticator with a synced passkey that does not count; default: with ES256. */
export function createAuthenticator(issuer: string, algorithm: keyof typeof keyPairs = -7): Authenticator {
  const { privateKey, publicKey } = keyPairs[algorithm]();
  const credentialId = randomBytes(16);

  const authenticator: Authenticator = {
    id: credentialId.toString('base64url'),
    origin: new URL(issuer).origin,
    rpId: new URL(issuer).hostname,
    flags: FLAGS.UP | FLAGS.UV | FLAGS.BE | FLAGS.BS,
    counter: 0,
    userHandle: undefined,
    create(options, { clientData, publicKey: key = toCoseKey(publicKey), attestationObject } = {}) {
      authenticator.userHandle = options.user.id;
      const attested = Buffer.concat([Buffer.alloc(16), toUint16(credentialId.length), credentialId, key]);
      const data = Buffer.concat([toAuthenticatorData(authenticator, FLAGS.AT), attested]);
      return toCredential(authenticator.id, {
        clientDataJSON: toClientData(authenticator, 'webauthn.create', options.challenge, clientData),
        attestationObject: (attestationObject ?? toAttestation(data)).toString('base64url'),
        transports: ['internal', 'hybrid'],
      });
    },
    get(options, clientData) {
      const clientDataJSON = toClientData(authenticator, 'webauthn.get', options.challenge, clientData);
      const data = toAuthenticatorData(authenticator);
      return toCredential(authenticator.id, {
        clientDataJSON,
        authenticatorData: data.toString('base64url'),
        signature: signAll(privateKey, data, clientDataJSON),
        ...(authenticator.userHandle !== undefined && { userHandle: authenticator.userHandle }),
      });
    },
  };
  return authenticator;
}

/** Encodes a key as COSE_Key (RFC 9053 §7, RFC 8230 §4). `algorithm` is that of an EC2 key. */
export function toCoseKey(key: KeyObject, algorithm = -7): Buffer {
  if (key.asymmetricKeyType === 'rsa') return toRsaKey(key);
  return key.asymmetricKeyType === 'ed25519' ? toOkpKey(key) : toEcKey(key, algorithm);
}

/** RSA, RS256, n, e. */
function toRsaKey(key: KeyObject): Buffer {
  const { n = '', e = '' } = key.export({ format: 'jwk' });
  const [modulus, exponent] = [Buffer.from(n, 'base64url'), Buffer.from(e, 'base64url')];
  const [head, ofN] = [Buffer.from([0xa4, 1, 3, 3]), Buffer.from([0x20, 0x59])];
  const ofE = Buffer.from([0x21, 0x40 | exponent.length]);
  return Buffer.concat([head, toNegative(-257), ofN, toUint16(modulus.length), modulus, ofE, exponent]);
}

/** OKP, EdDSA, Ed25519, x. */
function toOkpKey(key: KeyObject): Buffer {
  const { x = '' } = key.export({ format: 'jwk' });
  const head = Buffer.from([0xa4, 1, 1, 3, 0x27, 0x20, 6, 0x21, 0x58, 32]);
  return Buffer.concat([head, Buffer.from(x, 'base64url')]);
}

/** EC2, ES256, P-256, x, y. */
function toEcKey(key: KeyObject, algorithm: number): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  const coordinates = [Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')] as const;
  const [head, ofX, ofY] = [
    Buffer.from([0xa5, 1, 2, 3]),
    Buffer.from([0x20, 1, 0x21, 0x58, 32]),
    Buffer.from([0x22, 0x58, 32]),
  ];
  return Buffer.concat([head, toNegative(algorithm), ofX, coordinates[0], ofY, coordinates[1]]);
}

/** Encodes a negative number (RFC 8949 §3.1, major type 1). */
function toNegative(value: number): Buffer {
  const rest = -1 - value;
  return rest < 24 ? Buffer.from([0x20 | rest]) : Buffer.concat([Buffer.from([0x39]), toUint16(rest)]);
}

function toUint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

function toAuthenticatorData({ rpId, flags, counter }: Authenticator, more = 0): Buffer {
  const count = Buffer.alloc(4);
  count.writeUInt32BE(counter);
  return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([flags | more]), count]);
}

/** Encodes an attestation object without an attestation (§6.5.4, §8.7): `{ fmt: 'none', attStmt: {}, authData }`. */
function toAttestation(authenticatorData: Buffer): Buffer {
  const text = (value: string) => Buffer.concat([Buffer.from([0x60 | value.length]), Buffer.from(value)]);
  const bytes = Buffer.concat([Buffer.from([0x59]), toUint16(authenticatorData.length), authenticatorData]);
  const members = [text('fmt'), text('none'), text('attStmt'), Buffer.from([0xa0]), text('authData'), bytes];
  return Buffer.concat([Buffer.from([0xa3]), ...members]);
}

function toClientData(
  { origin }: Authenticator,
  type: string,
  challenge: string,
  changes: ClientDataChanges = {},
): string {
  const clientData = { type, challenge, origin, crossOrigin: false, ...changes };
  return Buffer.from(JSON.stringify(clientData)).toString('base64url');
}

function signAll(key: KeyObject, data: Buffer, clientDataJSON: string): string {
  const digest = createHash('sha256').update(Buffer.from(clientDataJSON, 'base64url')).digest();
  const hash = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  return sign(hash, Buffer.concat([data, digest]), key).toString('base64url');
}

function toCredential(id: string, response: object): string {
  return JSON.stringify({ id, rawId: id, type: 'public-key', response, clientExtensionResults: {} });
}
