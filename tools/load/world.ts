import { addMachine, type Client, fetchToken } from '../bench/machine-tokens.ts';
import { addApplication, addPerson, type Person } from '../bench/people.ts';
import { seed } from '../bench/seed.ts';
import type { Deployment } from './deployments.ts';

/** Accounts, clients and tokens for scenarios.js. */
export interface World {
  issuer: string;
  api: string;
  clientId: string;
  people: readonly Person[];
  machine: Client;
  machineToken: string;
  /** Feeds held open. */
  streams: number;
}

const PEOPLE = 20;
const STREAMS = 20;
const TICKETS = 2_000;

/** Adds accounts, clients and tickets to new databases. */
export async function createWorld({ issuer, api, authEnv }: Deployment): Promise<World> {
  const people: Person[] = [];
  for (let n = 0; n < PEOPLE; n++) people.push(await addPerson(authEnv, n));
  const { clientId } = await addApplication(authEnv, issuer);
  const machine = await addMachine(authEnv);
  const machineToken = await fetchToken(issuer, machine);
  await seed({ api, headers: { Authorization: `Bearer ${machineToken}` }, count: TICKETS });
  return { issuer, api, clientId, people, machine, machineToken, streams: STREAMS };
}
