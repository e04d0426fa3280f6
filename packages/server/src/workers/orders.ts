/**
 * Order of the primary to a worker. `retire`: serve open connections to their end, because another worker has taken
 * over. `stop`: drain, because the whole service ends. `hurry`: end the drain period.
 */
export type Order = 'retire' | 'stop' | 'hurry';

/** The order that ends a process, and the signal that it came from, if any. */
export interface FirstOrder {
  order: 'retire' | 'stop';
  signal?: NodeJS.Signals;
}

/** Orders to end this process. */
export interface StopOrders {
  first: Promise<FirstOrder>;
  /** Resolves when the drain period must end early; call it after the first order. */
  next(): Promise<unknown>;
}

const stopSignals = ['SIGTERM', 'SIGINT'] as const;

/** Takes SIGTERM and SIGINT as orders of a process without workers. */
export function followSignals(): StopOrders {
  const nextSignal = () =>
    new Promise<NodeJS.Signals>((resolve) => {
      for (const signal of stopSignals) process.once(signal, resolve);
    });
  return { first: nextSignal().then((signal) => ({ order: 'stop', signal })), next: nextSignal };
}

/**
 * Takes the orders of the primary, and reports to it that this worker serves. A supervisor or terminal may signal all
 * processes of the service, so that a signal arrives here as well as the order that the primary derives from it: the
 * first of them drains, other signals are ignored.
 */
export function followPrimary(): StopOrders {
  const first = Promise.withResolvers<FirstOrder>();
  const hurry = Promise.withResolvers<void>();
  process.on('message', (message) => {
    const order = orderIn(message);
    if (order === 'hurry') hurry.resolve();
    else if (order) first.resolve({ order });
  });
  for (const signal of stopSignals) process.on(signal, () => first.resolve({ order: 'stop', signal }));
  process.send?.({ isServing: true });
  return { first: first.promise, next: () => hurry.promise };
}

/** Whether a message of a worker reports that it serves. */
export function reportsService(message: unknown): boolean {
  return hasMember(message, 'isServing');
}

function orderIn(message: unknown): Order | undefined {
  return hasMember(message, 'order') ? (message.order as Order) : undefined;
}

function hasMember<Name extends string>(message: unknown, name: Name): message is Record<Name, unknown> {
  return typeof message === 'object' && message !== null && name in message;
}
