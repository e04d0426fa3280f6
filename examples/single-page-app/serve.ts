import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { findRegistration } from '../registration.ts';

// Serves the page and its files at http://127.0.0.1:5173, its registered redirect URI.
const PORT = 5173;
const { issuer, api, clientId } = findRegistration('single-page-app');

const here = (name: string) => readFileSync(new URL(name, import.meta.url));
const library = readFileSync(fileURLToPath(import.meta.resolve('oauth4webapi')));
const settings = JSON.stringify({ issuer: issuer.href.replace(/\/$/, ''), api: api.href, clientId });
const files: Record<string, { type: string; content: Buffer | string }> = {
  '/': { type: 'text/html; charset=utf-8', content: here('index.html') },
  '/app.js': { type: 'text/javascript; charset=utf-8', content: here('app.js') },
  '/oauth4webapi.js': { type: 'text/javascript; charset=utf-8', content: library },
  '/settings.json': { type: 'application/json', content: settings },
};

createServer((request, response) => {
  const file = files[new URL(request.url ?? '/', 'http://localhost').pathname];
  if (!file) return response.writeHead(404).end();
  return response.writeHead(200, { 'Content-Type': file.type }).end(file.content);
}).listen(PORT, '127.0.0.1', () => console.log(`http://127.0.0.1:${PORT}/`));
