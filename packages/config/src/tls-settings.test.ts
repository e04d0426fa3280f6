import { describe, expect, it } from 'vitest';
import { findTlsConflicts, loadConfig, tlsSettings, toTlsFiles } from './index.ts';

/** Loads the settings of a program with this public URL. */
function load(env: Record<string, string>, url?: string) {
  return loadConfig(tlsSettings, env, (config) => findTlsConflicts(config, { env: 'BASE_URL', url }));
}

describe('the TLS settings', () => {
  it('are two files, or none for plain http', () => {
    const files = { TLS_CERT_FILE: 'cert.pem', TLS_KEY_FILE: 'key.pem' };
    expect(toTlsFiles(load(files))).toEqual({ certFile: 'cert.pem', keyFile: 'key.pem' });
    expect(toTlsFiles(load({}, 'http://127.0.0.1:3001'))).toBeUndefined();
  });

  it.each([
    ['TLS_CERT_FILE', 'TLS_KEY_FILE: must be set when TLS_CERT_FILE is'],
    ['TLS_KEY_FILE', 'TLS_CERT_FILE: must be set when TLS_KEY_FILE is'],
  ])('are refused when only %s is set', (name, problem) => {
    expect(() => load({ [name]: 'file.pem' })).toThrow(expect.objectContaining({ problems: [problem] }));
  });

  it('are refused with a public http URL', () => {
    const files = { TLS_CERT_FILE: 'cert.pem', TLS_KEY_FILE: 'key.pem' };
    const problems = ['BASE_URL: must be an https URL when TLS_CERT_FILE is set'];
    expect(() => load(files, 'http://api.example')).toThrow(expect.objectContaining({ problems }));
    expect(load(files, 'https://api.example')).toBeDefined();
  });
});
