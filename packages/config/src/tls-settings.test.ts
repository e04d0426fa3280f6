import { describe, expect, it } from 'vitest';
import { loadConfig, tlsFaults, tlsFilesOf, tlsSettings } from './index.ts';

/** Reads the settings of a program that is reached at a URL. */
function load(env: Record<string, string>, url?: string) {
  return loadConfig(tlsSettings, env, (config) => tlsFaults(config, { env: 'BASE_URL', url }));
}

describe('the settings of TLS', () => {
  it('are the two files, or none for plain http', () => {
    const files = { TLS_CERT_FILE: 'cert.pem', TLS_KEY_FILE: 'key.pem' };
    expect(tlsFilesOf(load(files))).toEqual({ certFile: 'cert.pem', keyFile: 'key.pem' });
    expect(tlsFilesOf(load({}, 'http://127.0.0.1:3001'))).toBeUndefined();
  });

  it.each([
    ['TLS_CERT_FILE', 'TLS_KEY_FILE: must be set when TLS_CERT_FILE is'],
    ['TLS_KEY_FILE', 'TLS_CERT_FILE: must be set when TLS_KEY_FILE is'],
  ])('are refused when %s comes alone', (name, problem) => {
    expect(() => load({ [name]: 'file.pem' })).toThrow(expect.objectContaining({ problems: [problem] }));
  });

  it('are refused beside a public URL of plain http', () => {
    const files = { TLS_CERT_FILE: 'cert.pem', TLS_KEY_FILE: 'key.pem' };
    const problems = ['BASE_URL: must be an https URL when TLS_CERT_FILE is set'];
    expect(() => load(files, 'http://api.example')).toThrow(expect.objectContaining({ problems }));
    expect(load(files, 'https://api.example')).toBeDefined();
  });
});
