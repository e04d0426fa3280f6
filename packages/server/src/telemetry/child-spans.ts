import { tracingChannel } from 'node:diagnostics_channel';
import { AppError } from '@keydesk/errors';
import { type Attributes, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import { type ContextStorage, findRequestContext } from './trace-context.ts';

/** Name and attributes of a span. They contain no values of requests, only words of the program. */
export interface SpanDescription {
  name: string;
  attributes: Attributes;
  /** Default: a call of another system. */
  kind?: SpanKind;
}

/** Starts a span within the trace of the current request; returns `undefined` outside of requests. */
export function startChildSpan(
  tracer: Tracer,
  { name, attributes, kind = SpanKind.CLIENT }: SpanDescription,
): Span | undefined {
  const parent = findRequestContext();
  return parent && tracer.startSpan(name, { kind, attributes }, parent);
}

/** Marks a span as failed by the kind of its error. Its message may contain data of the request, so it is left out. */
export function failSpan(span: Span, err: unknown): void {
  span.setAttribute('error.type', toErrorType(err));
  span.setStatus({ code: SpanStatusCode.ERROR });
}

const errorWord = /^[\w.-]{1,64}$/;

/** Returns the code of an error, or the name of its class. */
function toErrorType(err: unknown): string {
  if (err instanceof AppError) return err.code;
  if (!(err instanceof Error)) return 'unknown';
  const code = 'code' in err ? String(err.code) : '';
  return errorWord.test(code) ? code : err.name;
}

/** Message of a channel: one object per operation, which gets its error. */
export interface TracedOperation {
  error?: unknown;
}

/**
 * Traces the operations of a `TracingChannel` of Node as spans of the current request.
 *
 * @returns a function that ends the subscription
 */
export function traceChannel<Operation extends TracedOperation>(
  { tracer, contexts }: { tracer: Tracer; contexts: ContextStorage },
  name: string,
  describe: (operation: Operation) => SpanDescription,
): () => void {
  const channel = tracingChannel(name);
  const spans = new WeakMap<object, Span>();

  function enter(message: unknown) {
    const operation = message as Operation;
    const span = startChildSpan(tracer, describe(operation));
    const active = findRequestContext();
    if (!span || !active) return contexts.getStore() as NonNullable<ReturnType<typeof contexts.getStore>>;
    spans.set(operation, span);
    return trace.setSpan(active, span);
  }

  function leave(message: unknown): void {
    const operation = message as Operation;
    const span = spans.get(operation);
    if (span && operation.error !== undefined) failSpan(span, operation.error);
    span?.end();
  }

  channel.start.bindStore(contexts, enter);
  channel.asyncEnd.subscribe(leave);
  return () => {
    channel.start.unbindStore(contexts);
    channel.asyncEnd.unsubscribe(leave);
  };
}
