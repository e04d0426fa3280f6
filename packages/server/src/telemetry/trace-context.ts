import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  type ContextManager,
  context,
  createContextKey,
  ROOT_CONTEXT,
  type Span,
  trace,
} from '@opentelemetry/api';
import { isTracingSuppressed } from '@opentelemetry/core';

/** Asynchronous context of the current request, to which channels can bind. */
export type ContextStorage = AsyncLocalStorage<Context>;

/** Time after the end of a request in which its background work, such as a mail, belongs to its trace. */
const BACKGROUND_MS = 60_000;
const REQUEST = createContextKey('Keydesk request');

/** A traced request. */
export interface TracedRequest {
  span: Span;
  /** Time of `performance.now()`; `undefined` while the request runs. */
  endedAt: number | undefined;
}

/**
 * Makes the context of OpenTelemetry an `AsyncLocalStorage`, which channels of Node can bind to. That of
 * `@opentelemetry/context-async-hooks` is private.
 */
export function enableContexts(): ContextStorage {
  const contexts: ContextStorage = new AsyncLocalStorage();
  const manager: ContextManager = {
    active: () => contexts.getStore() ?? ROOT_CONTEXT,
    with: (given, work, thisArg, ...args) => contexts.run(given, () => Reflect.apply(work, thisArg, args)),
    bind: (_given, target) => target,
    enable: () => manager,
    disable: () => manager,
  };
  context.setGlobalContextManager(manager);
  return contexts;
}

/** Returns the context of a request and of all work that it starts. */
export function withRequest(given: Context, request: TracedRequest): Context {
  return trace.setSpan(given, request.span).setValue(REQUEST, request);
}

/**
 * Returns the context of the current request. `undefined` outside of requests, and in timers that a request has started
 * and that outlive it.
 */
export function findRequestContext(): Context | undefined {
  const active = context.active();
  const request = active.getValue(REQUEST) as TracedRequest | undefined;
  if (!request || isTracingSuppressed(active)) return undefined;
  const { endedAt } = request;
  return endedAt !== undefined && performance.now() - endedAt > BACKGROUND_MS ? undefined : active;
}
