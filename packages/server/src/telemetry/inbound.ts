import { channel } from 'node:diagnostics_channel';
import {
  type Link,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Context as TraceContext,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { suppressTracing, W3CTraceContextPropagator } from '@opentelemetry/core';
import type { Context } from 'koa';
import { requestChannel } from '../log/request-log.ts';
import { sentStatus } from '../log/sent-status.ts';
import { type ContextStorage, type TracedRequest, withRequest } from './trace-context.ts';

export interface InboundOptions {
  tracer: Tracer;
  contexts: ContextStorage;
  /** Whether a request continues the trace of its `traceparent` header. */
  trustsTraceContext: boolean;
}

const probe = /\/(?:healthz|readyz)$/;
/** Methods that may be part of a name; clients can send any other (semantic conventions of HTTP spans). */
const knownMethods: ReadonlySet<string> = new Set([
  ...['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'],
]);
const propagator = new W3CTraceContextPropagator();
const fromHeaders = {
  get: (headers: Context['headers'], name: string) => headers[name],
  keys: (headers: Context['headers']) => Object.keys(headers),
};

/**
 * Starts a span per request, named by its route. Probes are not traced.
 *
 * @returns a function that ends the subscription
 */
export function traceRequests({ tracer, contexts, trustsTraceContext }: InboundOptions): () => void {
  function enter(message: unknown): TraceContext {
    const ctx = message as Context;
    if (probe.test(ctx.path)) return suppressTracing(ROOT_CONTEXT);
    const received = propagator.extract(ROOT_CONTEXT, ctx.headers, fromHeaders);
    const parent = trustsTraceContext ? received : ROOT_CONTEXT;
    const method = knownMethods.has(ctx.method) ? ctx.method : '_OTHER';
    const attributes = { 'http.request.method': method };
    const links = trustsTraceContext ? [] : linkTo(received);
    const span = tracer.startSpan(method, { kind: SpanKind.SERVER, attributes, links }, parent);
    const request: TracedRequest = { span, endedAt: undefined };
    const { traceId } = span.spanContext();
    ctx.state.traceId = traceId;
    if (span.isRecording()) ctx.state.recordedTraceId = traceId;
    ctx.res.once('close', () => {
      request.endedAt = performance.now();
      describeResponse(span, ctx, method);
      span.end();
    });
    return withRequest(parent, request);
  }

  const requests = channel(requestChannel);
  requests.bindStore(contexts, enter);
  return () => void requests.unbindStore(contexts);
}

/**
 * Links to the trace of an untrusted client without continuing it (W3C Trace Context §4.3): its trace id could repeat
 * another's, its flag would decide what is recorded, and its `tracestate` is any text.
 */
function linkTo(received: TraceContext): Link[] {
  const remote = trace.getSpanContext(received);
  if (!remote) return [];
  const { traceId, spanId, traceFlags } = remote;
  return [{ context: { traceId, spanId, traceFlags, isRemote: true } }];
}

function describeResponse(span: Span, ctx: Context, method: string): void {
  const route = ctx._matchedRoute === undefined ? undefined : String(ctx._matchedRoute);
  if (route !== undefined) {
    span.updateName(`${method} ${route}`);
    span.setAttribute('http.route', route);
  }
  const status = sentStatus(ctx);
  if (status !== undefined) span.setAttribute('http.response.status_code', status);
  if (status !== undefined && status < 500) return;
  span.setAttribute('error.type', status === undefined ? 'aborted' : (ctx.state.errorCode ?? String(status)));
  if (status !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
}
