import { setTimeout as sleep } from 'node:timers/promises';
import type { TcpProxy } from '@keydesk/testing';
import { mongo } from 'mongoose';
import type { Fault } from './run-fault.ts';

/** Where faults of the network happen. */
export interface FaultyNetwork {
  /** Between the app and MongoDB. */
  proxy: TcpProxy;
  /** URL of MongoDB without the proxy. */
  directUrl: string;
}

const RESETS = 4;
const STEP_DOWN_SECONDS = 10;

const resets = ({ proxy }: FaultyNetwork): Fault => ({
  name: 'connections are reset',
  isUnready: false,
  async run({ acknowledges }) {
    for (let i = 0; i < RESETS; i += 1) {
      await proxy.reset();
      await acknowledges(2);
    }
  },
});

const lostResponses = ({ proxy }: FaultyNetwork): Fault => ({
  name: 'MongoDB acts and its responses are lost',
  isUnready: false,
  async run() {
    await proxy.stall('responses');
    await sleep(1_000);
    await proxy.reset();
    await proxy.restore();
  },
});

const absence = ({ proxy }: FaultyNetwork): Fault => ({
  name: 'MongoDB is away until clients get 503',
  isUnready: true,
  async run({ refuses, isUnready }) {
    await proxy.refuse();
    await refuses();
    await isUnready();
    await proxy.restore();
  },
});

const stall = ({ proxy }: FaultyNetwork, seconds: number): Fault => ({
  name: `MongoDB hangs for ${seconds} s`,
  isUnready: seconds > 20,
  async run() {
    await proxy.stall();
    await sleep(seconds * 1_000);
    await proxy.restore();
  },
});

/** The primary refuses writes and stays reachable; a stand-in of one node is elected again after the period. */
const stepDown = ({ directUrl }: FaultyNetwork): Fault => ({
  name: `the primary steps down for ${STEP_DOWN_SECONDS} s`,
  isUnready: false,
  async run() {
    const client = new mongo.MongoClient(directUrl);
    try {
      await client.db('admin').command({ replSetStepDown: STEP_DOWN_SECONDS, force: true });
      await sleep(STEP_DOWN_SECONDS * 1_000);
    } finally {
      await client.close();
    }
  },
});

/** Creates the faults that are over in seconds and need only the proxy. */
export function createShortFaults(network: FaultyNetwork): Fault[] {
  return [lostResponses(network), absence(network)];
}

export function createAllFaults(network: FaultyNetwork): Fault[] {
  return [
    resets(network),
    ...createShortFaults(network),
    stall(network, 5),
    stepDown(network),
    stall(network, 40),
  ];
}
