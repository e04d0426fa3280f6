import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWith, findFreePort, startTestIssuer, type TestIssuer } from '@keydesk/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServerProcess, startServer } from '../bench/processes.ts';
import { type RunningProxy, startNginx } from '../rolling-restart/proxies.ts';

const BASE_URL = 'https://example.com/helpdesk';

describeWith('nginx', 'the API behind nginx, under the path of BASE_URL', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keydesk-path-'));
  let issuer: TestIssuer;
  let api: ServerProcess;
  let nginx: RunningProxy;
  let headers: Record<string, string>;

  beforeAll(async () => {
    issuer = await startTestIssuer({ audience: BASE_URL });
    const port = await findFreePort();
    api = await startServer('apps/tickets-api/src/main.ts', port, {
      API_PORT: String(port),
      BASE_URL: `${BASE_URL}/`,
      ISSUER: issuer.issuer,
      STORAGE_URL: `sqlite:${join(folder, 'tickets.db')}`,
    });
    const ports = new Map([3001, 3011].map((example) => [example, port]));
    nginx = await startNginx({ folder, ports, site: 'keydesk-path.conf' });
    const scope = 'tickets:read tickets:write';
    headers = { Authorization: `Bearer ${issuer.token({ role: 'agent', scope })}` };
  });
  afterAll(async () => {
    await nginx?.stop();
    await api?.stop();
    await issuer.stop();
    rmSync(folder, { recursive: true });
  });

  /** Rewrites a public URL to the address of nginx. */
  const through = (url: string) => url.replace('https://example.com', `http://127.0.0.1:${nginx.port}`);

  test('every URL in a response works through the proxy', async () => {
    const added = await fetch(through(`${BASE_URL}/tickets.json`), {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify({ subject: 'The printer is on fire' }),
    });
    expect(added.status).toBe(201);
    const { id } = (await added.json()) as { id: string };
    const found = await fetch(through(added.headers.get('Location') ?? ''), { headers });
    expect(await found.json()).toMatchObject({ id });
    const contract = await fetch(through(`${BASE_URL}/openapi.json`));
    const { servers, externalDocs } = (await contract.json()) as {
      servers: { url: string }[];
      externalDocs: { url: string };
    };
    const list = await fetch(through(`${servers[0]?.url}/tickets.xml`), { headers });
    expect(await list.text()).toContain(id);
    expect((await fetch(through(externalDocs.url))).status).toBe(200);
  });

  test('the metadata URL of a 401 works (RFC 9728 §5.1)', async () => {
    const refused = await fetch(through(`${BASE_URL}/tickets.json`));
    expect(refused.status).toBe(401);
    const url = /resource_metadata="([^"]+)"/.exec(refused.headers.get('WWW-Authenticate') ?? '')?.[1];
    const metadata = await fetch(through(url ?? ''));
    expect(await metadata.json()).toMatchObject({ resource: BASE_URL });
  });

  test('readiness is served under the path, and the root of the host is not', async () => {
    expect((await fetch(through(`${BASE_URL}/readyz`))).status).toBe(200);
    expect((await fetch(through('https://example.com/readyz'))).headers.get('X-Request-Id')).toBeNull();
  });
});
