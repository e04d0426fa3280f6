import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type Span, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { failSpan, startChildSpan } from './child-spans.ts';
import { findRequestContext } from './trace-context.ts';

export interface OutboundOptions {
  tracer: Tracer;
  /**
   * Origins of servers that the operator has configured. Only they get the trace context, and only their hosts are
   * recorded: the hosts of other servers, such as those of clients, may identify users.
   */
  peers: readonly string[];
}

/** Request of undici, which is behind `fetch`, as its channels publish it. */
interface FetchMessage {
  request: { method: string; origin: string | URL; addHeader(name: string, value: string): void };
  response?: { statusCode: number };
  error?: unknown;
}

/** Request of `node:http` as its channels publish it. */
interface HttpMessage {
  request: { method: string };
  response?: { statusCode?: number };
  error?: unknown;
}

const propagator = new W3CTraceContextPropagator();

/**
 * Traces requests to other servers, by `fetch` and by `node:http`, through the channels that Node publishes.
 *
 * @returns a function that ends the subscriptions
 */
export function traceOutbound({ tracer, peers }: OutboundOptions): () => void {
  const spans = new WeakMap<object, Span>();

  function start(request: HttpMessage['request'], host?: string): Span | undefined {
    const { method } = request;
    const address = host === undefined ? {} : { 'server.address': host };
    const attributes = { 'http.request.method': method, ...address };
    const span = startChildSpan(tracer, { name: method, attributes });
    if (span) spans.set(request, span);
    return span;
  }

  function startFetch({ request }: FetchMessage): void {
    const { origin, hostname } = new URL(request.origin);
    if (!peers.includes(origin)) return void start(request);
    const span = start(request, hostname);
    const parent = findRequestContext();
    if (!span || !parent) return;
    propagator.inject(trace.setSpan(parent, span), request, {
      set: (carrier, name, value) => carrier.addHeader(name, value),
    });
  }

  function receive({ request, response }: HttpMessage | FetchMessage): void {
    const span = spans.get(request);
    if (!span || response?.statusCode === undefined) return;
    span.setAttribute('http.response.status_code', response.statusCode);
    if (response.statusCode < 400) return;
    span.setAttribute('error.type', String(response.statusCode));
    span.setStatus({ code: SpanStatusCode.ERROR });
  }

  function finish({ request, error }: HttpMessage | FetchMessage): void {
    const span = spans.get(request);
    if (span && error !== undefined) failSpan(span, error);
    span?.end();
    spans.delete(request);
  }

  function finishHttp(message: HttpMessage): void {
    receive(message);
    finish(message);
  }

  return subscribeAll({
    'undici:request:create': startFetch,
    'undici:request:headers': receive,
    'undici:request:trailers': finish,
    'undici:request:error': finish,
    'http.client.request.start': ({ request }: HttpMessage) => start(request),
    'http.client.response.finish': finishHttp,
    'http.client.request.error': finish,
  });
}

function subscribeAll(handlers: Readonly<Record<string, (message: never) => unknown>>): () => void {
  const listeners = Object.entries(handlers).map(([name, handle]) => ({
    name,
    listener: (message: unknown) => void handle(message as never),
  }));
  for (const { name, listener } of listeners) subscribe(name, listener);
  return () => {
    for (const { name, listener } of listeners) unsubscribe(name, listener);
  };
}
