import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A span as a collector receives it (OTLP 1.x, JSON). */
export interface CollectedSpan {
  /** Service that has sent it. */
  service: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string | undefined;
  name: string;
  /** Whether it is a call of another system. */
  isClient: boolean;
  attributes: Readonly<Record<string, string | number>>;
  isFailed: boolean;
  /** Ids of linked traces. */
  links: readonly string[];
}

/** An OpenTelemetry collector on a free port of 127.0.0.1. */
export interface OtlpCollector {
  /** Base URL for `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  url: string;
  spans(): readonly CollectedSpan[];
  /** Every body received, as text. */
  received(): string;
  /** Number of requests, including those without a response. */
  requests(): number;
  stop(): Promise<void>;
}

export interface OtlpCollectorOptions {
  /** Accepts requests and never responds. */
  isHanging?: boolean;
}

interface RawSpan extends Omit<CollectedSpan, 'service' | 'attributes' | 'links' | 'isFailed' | 'isClient'> {
  kind: number;
  attributes: RawAttribute[];
  links?: { traceId: string }[];
  status?: { code?: number };
}

interface RawAttribute {
  key: string;
  value: { stringValue?: string; intValue?: number | string };
}

interface RawExport {
  resourceSpans: { resource: { attributes: RawAttribute[] }; scopeSpans: { spans: RawSpan[] }[] }[];
}

const STATUS_CODE_ERROR = 2;
const SPAN_KIND_CLIENT = 3;

/** Starts a collector; stop it when done. */
export async function startOtlpCollector({
  isHanging = false,
}: OtlpCollectorOptions = {}): Promise<OtlpCollector> {
  const bodies: string[] = [];
  let requests = 0;

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    requests += 1;
    if (isHanging) return;
    bodies.push(await text(request));
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  }

  const server = createServer(receive).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => bodies.flatMap((body) => toSpans(JSON.parse(body))),
    received: () => bodies.join('\n'),
    requests: () => requests,
    async stop() {
      const closed = once(server, 'close');
      server.close().closeAllConnections();
      await closed;
    },
  };
}

function toSpans({ resourceSpans }: RawExport): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) => spans).map((span) => toSpan(span, resource.attributes)),
  );
}

function toSpan(
  { kind, attributes, links = [], status, ...span }: RawSpan,
  resource: RawAttribute[],
): CollectedSpan {
  return {
    service: String(toRecord(resource)['service.name']),
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId,
    name: span.name,
    isClient: kind === SPAN_KIND_CLIENT,
    attributes: toRecord(attributes),
    isFailed: status?.code === STATUS_CODE_ERROR,
    links: links.map(({ traceId }) => traceId),
  };
}

function toRecord(attributes: readonly RawAttribute[]): Record<string, string | number> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]),
  );
}
