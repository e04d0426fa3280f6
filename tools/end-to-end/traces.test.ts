import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import {
  type CollectedSpan,
  findFreePort,
  type OtlpCollector,
  startOtlpCollector,
  startProgram,
  untilReady,
} from '@keydesk/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDevelopmentSecret } from '../../apps/auth/src/keys/master-secret.ts';
import { createBrowser } from '../../apps/auth/src/tests/browser.fixture.ts';
import { type Deployment, startDeployment } from '../conformance/deployment.ts';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const CLIENT_SPAN_ID = '00f067aa0ba902b7';
const SCOPE = 'tickets:read tickets:write';

let collector: OtlpCollector;
let keydesk: Deployment;
/** Values of requests that no span may contain. */
const used: string[] = [];

beforeAll(async () => {
  collector = await startOtlpCollector();
  keydesk = await startDeployment({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    TRUST_TRACE_CONTEXT: 'true',
    STEP_UP_OPERATIONS: 'none',
  });
  setDefaultCACertificates([...getCACertificates('default'), readFileSync(keydesk.certificateFile, 'utf8')]);
});
afterAll(async () => {
  await stopKeydesk();
  await collector.stop();
});

let stopping: Promise<void> | undefined;
function stopKeydesk(): Promise<void> {
  stopping ??= keydesk.stop();
  return stopping;
}

/** Sends a request that belongs to the trace of the client (W3C Trace Context §3.2). */
function sendTraced(url: string, headers: Readonly<Record<string, string>>, init: RequestInit = {}) {
  const traceparent = `00-${TRACE_ID}-${CLIENT_SPAN_ID}-01`;
  return fetch(url, { ...init, headers: { ...headers, traceparent } });
}

async function fetchToken(): Promise<string> {
  const { client_id, client_secret = '' } = await keydesk.addClient(
    ...['--type', 'machine', '--name', 'm', '--role', 'agent', '--scope', SCOPE],
  );
  const authorization = `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`;
  const body = new URLSearchParams({ grant_type: 'client_credentials', scope: SCOPE });
  const response = await fetch(`${keydesk.issuer}/token`, {
    method: 'POST',
    headers: { authorization },
    body,
  });
  const { access_token } = (await response.json()) as { access_token: string };
  used.push(client_id, client_secret, access_token);
  return access_token;
}

async function findSpan(isWanted: (span: CollectedSpan) => boolean): Promise<CollectedSpan> {
  const find = () => collector.spans().find(isWanted);
  await expect.poll(find).toBeDefined();
  return find() as CollectedSpan;
}

describe('traces of both apps (W3C Trace Context, OTLP 1)', () => {
  test('follow a request from the client through the API to the keys of the authorization server', async () => {
    const token = await fetchToken();
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ subject: 'Printer on fire in room 4711' });
    const created = await sendTraced(`${keydesk.api}/tickets.json`, headers, {
      method: 'POST',
      body,
    });
    expect(created.status).toBe(201);
    const { id } = (await created.json()) as { id: string };
    used.push(id, 'Printer on fire');
    const read = await sendTraced(`${keydesk.api}/ticket/${id}.json?fields=subject`, headers);
    expect(read.status).toBe(200);

    const request = await findSpan(({ service, parentSpanId }) => {
      return service === 'keydesk-api' && parentSpanId === CLIENT_SPAN_ID;
    });
    expect(request).toMatchObject({
      traceId: TRACE_ID,
      name: 'POST /tickets',
      attributes: { 'http.response.status_code': 201, 'http.route': '/tickets' },
      isFailed: false,
    });
    const commit = await findSpan(({ name }) => name === 'tickets.commit');
    expect(commit).toMatchObject({
      service: 'keydesk-api',
      parentSpanId: request.spanId,
      attributes: { 'db.system.name': 'sqlite' },
    });
    const fetchKeys = await findSpan(({ attributes, service }) => {
      return service === 'keydesk-api' && attributes['server.address'] === 'localhost';
    });
    expect(fetchKeys).toMatchObject({ name: 'GET', parentSpanId: request.spanId });
    const answerKeys = await findSpan(({ name }) => name === 'GET /jwks');
    expect(answerKeys).toMatchObject({
      service: 'keydesk-auth',
      traceId: TRACE_ID,
      parentSpanId: fetchKeys.spanId,
    });
  });

  test('contain the mail that a request sends after its response', async () => {
    const { email } = keydesk.account;
    const browser = createBrowser(keydesk.issuer);
    const page = await browser.open('/forgot-password');
    await browser.submit(page, 'forgot-password', { email });
    used.push(email, ...browser.cookieValues());
    const request = await findSpan(({ name }) => name === 'POST /forgot-password');
    const mail = await findSpan(({ name }) => name === 'send mail');
    expect(mail).toMatchObject({ traceId: request.traceId, parentSpanId: request.spanId, isFailed: false });
  });

  test('are complete when the apps have stopped, and contain no values of requests', async () => {
    const last = await sendTraced(`${keydesk.api}/no-such-page-${TRACE_ID}`, {});
    expect(last.status).toBe(404);
    await stopKeydesk();
    const spans = collector.spans();
    expect(spans.filter(({ name }) => name === 'GET')).toContainEqual(
      expect.objectContaining({
        attributes: { 'http.request.method': 'GET', 'http.response.status_code': 404 },
      }),
    );
    const received = collector.received();
    expect(used.length).toBeGreaterThan(6);
    for (const value of used) expect(received).not.toContain(value);
    expect(received).not.toMatch(/127\.0\.0\.1|no-such-page|fields=|@example|eyJ|Bearer|\?/);
    // The only UUIDs are those of the two processes.
    const uuids = received.match(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g) ?? [];
    expect(new Set(uuids).size).toBe(2);
    // Probes are not traced.
    expect(received).not.toMatch(/readyz|healthz|\.ping/);
  });
});

describe('without a collector', () => {
  const preload = join(import.meta.dirname, 'loaded-telemetry.preload.fixture.ts');
  const folder = mkdtempSync(join(tmpdir(), 'keydesk-no-traces-'));
  const secretFile = join(folder, 'master-secret');
  createDevelopmentSecret(secretFile);

  test.each([
    ['auth', 'AUTH_PORT', {}, 0],
    ['tickets-api', 'API_PORT', {}, 0],
    ['tickets-api', 'API_PORT', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }, 1],
  ])('%s with %s and %j loads OpenTelemetry: %i', async (app, portSetting, telemetry, expected) => {
    const port = String(await findFreePort());
    const program = startProgram(join(import.meta.dirname, `../../apps/${app}/src/main.ts`), {
      env: {
        [portSetting]: port,
        STORAGE_URL: `sqlite:${join(folder, `${app}.db`)}`,
        MASTER_SECRET_FILE: secretFile,
        NODE_OPTIONS: `--import=${preload}`,
        ...telemetry,
      },
    });
    await untilReady(`http://127.0.0.1:${port}`, program);
    await fetch(`http://127.0.0.1:${port}/me`);
    program.child.kill('SIGTERM');
    const { stderr, code } = await program.ended;
    expect(code).toBe(0);
    expect(stderr).toContain(`OpenTelemetry loaded: ${expected === 1}`);
  });
});
