import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/**
 * A self-signed certificate for `localhost` and 127.0.0.1, valid for a day, and its private key, both PEM. Its
 * subject is unique, because of trusted certificates with the same subject only the first is used.
 */
export interface TestCertificate {
  cert: string;
  key: string;
}

/** Creates a certificate (RFC 5280 §4.1). Node itself can only read certificates. */
export function createCertificate(type: 'ec' | 'rsa' = 'ec'): TestCertificate {
  const { privateKey, publicKey } =
    type === 'ec'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: 2048 });
  const algorithm = sequence(type === 'ec' ? ecdsaWithSha256 : rsaWithSha256);
  const content = toBeSigned(publicKey, algorithm);
  const signature = sign('sha256', content, privateKey);
  const der = sequence(content, algorithm, bitString(signature));
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`,
    key: String(privateKey.export({ format: 'pem', type: 'pkcs8' })),
  };
}

const DAY_MS = 86_400_000;

function toBeSigned(publicKey: KeyObject, algorithm: Buffer): Buffer {
  const subject = `keydesk-test-${randomBytes(8).toString('hex')}`;
  const name = sequence(der(0x31, sequence(commonName, der(0x0c, Buffer.from(subject)))));
  const validity = sequence(utcTime(Date.now() - DAY_MS), utcTime(Date.now() + DAY_MS));
  const version3 = der(0xa0, der(0x02, Buffer.of(2)));
  const serial = der(0x02, Buffer.concat([Buffer.of(1), randomBytes(8)]));
  const spki = publicKey.export({ format: 'der', type: 'spki' });
  const names = sequence(der(0x82, Buffer.from('localhost')), der(0x87, Buffer.of(127, 0, 0, 1)));
  const extensions = der(0xa3, sequence(sequence(subjectAltName, der(0x04, names))));
  return sequence(version3, serial, algorithm, name, validity, name, spki, extensions);
}

// DER-encoded object identifiers.
const ecdsaWithSha256 = Buffer.from('06082a8648ce3d040302', 'hex');
const rsaWithSha256 = Buffer.from('06092a864886f70d01010b0500', 'hex');
const commonName = Buffer.from('0603550403', 'hex');
const subjectAltName = Buffer.from('0603551d11', 'hex');

/** Encodes tag, length and content (X.690 §8.1). */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(tag), lengthOf(content), content]);
}

function lengthOf({ length }: Buffer): Buffer {
  if (length < 0x80) return Buffer.of(length);
  return length < 0x100 ? Buffer.of(0x81, length) : Buffer.of(0x82, length >> 8, length & 0xff);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, ...parts);
}

function bitString(content: Buffer): Buffer {
  return der(0x03, Buffer.of(0), content);
}

/** Encodes a time as `YYMMDDhhmmssZ`. */
function utcTime(milliseconds: number): Buffer {
  const digits = new Date(milliseconds).toISOString().replace(/\D/g, '').slice(2, 14);
  return der(0x17, Buffer.from(`${digits}Z`));
}
