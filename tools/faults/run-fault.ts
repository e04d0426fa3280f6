import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Program } from '@keydesk/testing';
import { countOf } from '../kill-audit/kill-during.ts';
import type { Observations, Observer } from './observer.ts';
import type { Target } from './target.ts';

/** Conditions that a fault waits for. */
export interface Probes {
  /** Resolves when the app has acknowledged that many more requests. */
  acknowledges(count: number): Promise<void>;
  /** Resolves when the app has answered with 503. */
  refuses(): Promise<void>;
  /** Resolves when `/readyz` has responded 503. */
  isUnready(): Promise<void>;
}

/** A fault of the world around an app, and its end. */
export interface Fault {
  name: string;
  /** Whether `/readyz` has to respond 503 in the meantime. */
  isUnready: boolean;
  /** Findings that the fault explains. */
  explains?: RegExp;
  run(probes: Probes): Promise<void>;
}

/** Result of a fault for clients. */
export interface FaultResult extends Observations {
  fault: string;
  /** Acknowledged requests, including the verification. */
  acknowledged: number;
  /** Whether `/readyz` responded 503. */
  wasUnready: boolean;
  /** Time from the end of the fault until requests are acknowledged again. */
  recoveredMs: number;
  /** Memory of the app after the fault. */
  residentMiB: number;
}

export const POLL_MS = 50;
/** Acknowledged requests that prove a recovery. */
const RECOVERED = 5;
export const RECOVERY_LIMIT_MS = 60_000;

/** An app under load. */
export interface FaultWorld {
  fault: Fault;
  connections: number;
  target: Target;
  observer: Observer;
  server(): Program;
  port: number;
}

/** Runs a fault under load, and checks that nothing acknowledged is lost, doubled or applied in part. */
export async function runFault(world: FaultWorld): Promise<FaultResult> {
  const { fault, target, observer, server, port } = world;
  let isOver = false;
  const load = Promise.all(Array.from({ length: world.connections }, () => target.write(() => isOver)));
  const readiness = watchReadiness(port, () => isOver);
  const counted = () => countOf(target.acknowledged);
  const before = counted();
  const seen = observer.take();
  const probes = createProbes({ counted, observer, seen, readiness });
  await probes.acknowledges(RECOVERED);
  await fault.run(probes);
  const [endedAt, atEnd] = [performance.now(), counted()];
  await probes.acknowledges(RECOVERED);
  const recoveredMs = Math.round(performance.now() - endedAt);
  const hasRecovered = counted() > atEnd;
  isOver = true;
  await Promise.all([load, readiness.ended]);
  const lost = await target.verify();
  merge(seen, observer.take());
  const { wasUnready } = readiness;
  const faults = [
    ...[...seen.faults, ...lost].filter((each) => !fault.explains?.test(each)),
    ...(hasRecovered ? [] : ['the app did not recover']),
    ...(fault.isUnready && !wasUnready ? ['/readyz did not respond 503'] : []),
  ];
  const acknowledged = counted() - before;
  return {
    ...seen,
    fault: fault.name,
    acknowledged,
    wasUnready,
    recoveredMs,
    residentMiB: residentMiBOf(server()),
    faults,
  };
}

interface ProbeDeps extends Pick<FaultWorld, 'observer'> {
  counted: () => number;
  seen: Observations;
  readiness: { wasUnready: boolean };
}

function createProbes({ counted, observer, seen, readiness }: ProbeDeps): Probes {
  async function until(isTrue: () => boolean): Promise<void> {
    const giveUpAt = performance.now() + RECOVERY_LIMIT_MS;
    while (!isTrue() && performance.now() < giveUpAt) {
      await sleep(POLL_MS);
      merge(seen, observer.take());
    }
  }
  return {
    acknowledges(count) {
      const goal = counted() + count;
      return until(() => counted() >= goal);
    },
    isUnready: () => until(() => readiness.wasUnready),
    refuses() {
      const before = seen.statuses[503] ?? 0;
      return until(() => (seen.statuses[503] ?? 0) > before);
    },
  };
}

function merge(into: Observations, { statuses, longestMs, faults }: Observations): void {
  for (const [status, count] of Object.entries(statuses))
    into.statuses[Number(status)] = (into.statuses[Number(status)] ?? 0) + count;
  into.longestMs = Math.max(into.longestMs, longestMs);
  into.faults.push(...faults);
}

function watchReadiness(port: number, isOver: () => boolean) {
  const watch = { wasUnready: false, ended: Promise.resolve() };
  watch.ended = (async () => {
    while (!isOver()) {
      const { status } = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => ({ status: 0 }));
      if (status === 503) watch.wasUnready = true;
      await sleep(POLL_MS * 4);
    }
  })();
  return watch;
}

export async function stop({ child, ended }: Program): Promise<void> {
  child.kill('SIGTERM');
  await ended;
}

function residentMiBOf({ child }: Program): number {
  const [, kib = 0] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kib) / 1024);
}
