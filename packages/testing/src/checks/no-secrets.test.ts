import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { assertNoSecrets } from './no-secrets.ts';

const random = () => randomBytes(32).toString('base64url');

it.each([
  ['a signed token', `{"path":"/callback","token":"eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ4In0.${random()}"}`],
  ['a client secret', `{"secret":"kdcs_${random()}"}`],
  ['a registration token', `{"token":"kdrt_${random()}"}`],
  ['an Authorization header', `{"authorization":"Bearer ${random()}"}`],
  ['a cookie', `{"cookie":"_session=${random()}"}`],
  ['a password of the suite', '{"body":"kindly yellow umbrella"}'],
])('finds %s in the output', (_, line) => {
  expect(() => assertNoSecrets(`{"msg":"listening"}\n${line}\n`, ['kindly yellow umbrella'])).toThrow(
    'The log contains',
  );
});

it('accepts the log line of a request', () => {
  const line = { msg: 'request', path: '/token', client_id: random(), jti: random(), event: 'token.issued' };
  expect(() => assertNoSecrets(JSON.stringify(line))).not.toThrow();
});
