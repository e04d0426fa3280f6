import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestIssuer, TokenOverrides } from '@keydesk/testing';
import { v7 as uuidv7 } from 'uuid';
import type { Poll } from './poll-transmitter.ts';

export const RECEIVER = 'receiver-1';
export const SECRET = 'the secret of the receiver';
const PURGED = 'https://schemas.openid.net/secevent/risc/event-type/account-purged';

/** A transmitter of security events (RFC 8936) with a queue in memory. */
export interface Transmitter {
  url: string;
  /** Queues an event that is valid except for the given claims and overrides; returns its `jti`. */
  send(claims?: Record<string, unknown>, overrides?: TokenOverrides): string;
  /** Answers the next polls with this status instead; 200: normally. */
  answerWith(status: number): void;
  /** Loses the next acknowledgements, as if the receiver had been killed before it sent them. */
  loseAnswers(isLost: boolean): void;
  /** Every `jti` that was acknowledged, in order. */
  acknowledged: string[];
  /** Error codes by `jti`. */
  rejected: Map<string, string>;
  /** Number of deliveries by `jti`. */
  deliveries: Map<string, number>;
  stop(): Promise<void>;
}

/** Starts a transmitter of an issuer on a free port. */
export async function startTransmitter(issuer: TestIssuer): Promise<Transmitter> {
  const pending = new Map<string, string>();
  const state = { status: 200, isLost: false };
  const acknowledged: string[] = [];
  const rejected = new Map<string, string>();
  const deliveries = new Map<string, number>();

  function settle({ ack, setErrs }: Poll): void {
    if (state.isLost) return;
    for (const jti of ack) if (pending.delete(jti)) acknowledged.push(jti);
    for (const [jti, { err }] of Object.entries(setErrs)) {
      pending.delete(jti);
      rejected.set(jti, err);
    }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const poll = JSON.parse(Buffer.concat(await request.toArray()).toString()) as Poll;
    const expected = `Basic ${Buffer.from(`${RECEIVER}:${SECRET}`).toString('base64')}`;
    const status = request.headers.authorization === expected ? state.status : 401;
    if (status === 200) settle(poll);
    const sets = [...pending].slice(0, poll.maxEvents);
    for (const [jti] of status === 200 ? sets : []) deliveries.set(jti, (deliveries.get(jti) ?? 0) + 1);
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ sets: Object.fromEntries(sets) }));
  }

  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/security-events`,
    send(claims = {}, overrides = {}) {
      const jti = uuidv7();
      pending.set(jti, signEvent(issuer, { jti, ...claims }, overrides));
      return jti;
    },
    answerWith: (status) => void Object.assign(state, { status }),
    loseAnswers: (isLost) => void Object.assign(state, { isLost }),
    acknowledged,
    rejected,
    deliveries,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function signEvent(issuer: TestIssuer, claims: Record<string, unknown>, overrides: TokenOverrides): string {
  const none = { sub: undefined, client_id: undefined, scope: undefined, exp: undefined };
  const good = { ...none, aud: RECEIVER, events: { [PURGED]: {} } };
  return issuer.token(
    { ...good, ...claims },
    { ...overrides, header: { typ: 'secevent+jwt', ...overrides.header } },
  );
}
