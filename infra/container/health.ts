import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

// Exits with 0 if the server of this container responds 200 at a path: /readyz by default, or /healthz. A program,
// because neither a shell nor curl is needed in the image.

const LIMIT_MS = 4_000;
const { AUTH_PORT, API_PORT, HOST = '', TLS_CERT_FILE } = process.env;
const port = Number(AUTH_PORT ?? API_PORT);
const path = process.argv[2] ?? '/readyz';
const isWildcard = ['', '0.0.0.0', '::'].includes(HOST);
const target = { host: isWildcard ? '127.0.0.1' : HOST, port, path, timeout: LIMIT_MS, agent: false };

// The certificate names the public host, not this address.
const request = TLS_CERT_FILE ? requestHttps({ ...target, rejectUnauthorized: false }) : requestHttp(target);
process.exitCode = 1;
request
  .on('response', (response) => {
    process.exitCode = response.statusCode === 200 ? 0 : 1;
    response.destroy();
  })
  .on('timeout', () => request.destroy(new Error('no response in time')))
  .on('error', ({ message }) => process.stderr.write(`${path} at port ${port}: ${message}\n`))
  .end();
