import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from './run-fault.ts';
import type { SmallDisk } from './small-disk.ts';

/** Where disasters of one machine happen. */
export interface DamagedMachine {
  /** Where the database is. */
  disk: SmallDisk;
  /** File from which the app's clock reads its offset; `undefined` without libfaketime. */
  clockFile: string | undefined;
  port: number;
  pid(): number;
  /** Stops the app, calls a function, and starts the app again. */
  restart(whileStopped: () => void): Promise<void>;
  /** Request head of a stream that its client never reads; `undefined` if the app has none. */
  stream: (() => string) | undefined;
}

const HOUR = 3_600;
const DAY = 24 * HOUR;
const CLOCK_JUMP_MS = 8_000;
const STREAMS = 15;
const UNREAD_MS = 10_000;
const SHORTAGE_MS = 5_000;
const CHUNK = Buffer.alloc(4096);

/** Fills the disk to the last block until clients get 503, keeps it full for a while, and frees it. */
const fullDisk = ({ disk }: DamagedMachine): Fault => ({
  name: 'the disk is full',
  isUnready: false,
  async run({ refuses }) {
    const filler = join(disk.folder, 'filler');
    const file = openSync(filler, 'w');
    try {
      fill(file);
      await refuses();
      await refuses();
    } finally {
      closeSync(file);
      rmSync(filler);
    }
  },
});

function fill(file: number): void {
  try {
    for (;;) writeSync(file, CHUNK);
  } catch (err) {
    if (!(err instanceof Error && 'code' in err && err.code === 'ENOSPC')) throw err;
  }
}

/** Makes the disk read-only, until the app is stopped and the disk is checked and mounted again. */
const readOnlyDisk = ({ disk, restart }: DamagedMachine): Fault => ({
  name: 'the disk becomes read-only',
  isUnready: false,
  // While the app is stopped.
  explains: /no response/,
  async run({ refuses }) {
    disk.makeReadOnly();
    await refuses();
    await refuses();
    await restart(disk.repair);
  },
});

/** Takes the descriptors of the process, so that no further file or connection can be opened. */
const noDescriptors = ({ pid }: DamagedMachine): Fault => ({
  name: 'no file descriptor is left',
  isUnready: false,
  explains: /no response/,
  async run() {
    // Node has raised the soft limit to the hard one at its start.
    const [, hard = ''] =
      /^Max open files +\d+ +(\d+)/m.exec(readFileSync(`/proc/${pid()}/limits`, 'utf8')) ?? [];
    const limitTo = (soft: string) =>
      spawnSync('prlimit', ['--pid', String(pid()), `--nofile=${soft}:${hard}`]);
    limitTo('16');
    await sleep(SHORTAGE_MS);
    limitTo(hard);
  },
});

const jumpClock = (clockFile: string, name: string, seconds: number): Fault => ({
  name,
  isUnready: false,
  // Times of changes are not in order; tokens, codes, cookies and open pages expire.
  explains:
    /the changes? .*do not agree|No form|consent: 400 error-interaction-expired|: 401|invalid_grant|a code or token works|its sign-in is on/,
  async run() {
    setClock(clockFile, seconds);
    await sleep(CLOCK_JUMP_MS);
    setClock(clockFile, 0);
    await sleep(1_000);
  },
});

export function setClock(clockFile: string, seconds: number): void {
  writeFileSync(clockFile, `${seconds < 0 ? '' : '+'}${seconds}`);
}

/** Clients open streams of changes and never read them. */
const unreadStreams = (port: number, stream: () => string): Fault => ({
  name: `${STREAMS} event streams are never read`,
  isUnready: false,
  async run({ acknowledges }) {
    const sockets = Array.from({ length: STREAMS }, () => openUnread(port, stream()));
    await acknowledges(20);
    await sleep(UNREAD_MS);
    for (const socket of sockets) socket.destroy();
  },
});

function openUnread(port: number, head: string): Socket {
  const socket = connect(port, '127.0.0.1').pause();
  socket.on('error', () => undefined);
  socket.write(head);
  return socket;
}

export function createDisasters(machine: DamagedMachine): Fault[] {
  const { clockFile, port, stream } = machine;
  const clocks = clockFile
    ? [
        jumpClock(clockFile, 'the clock is set back by 3 hours', -3 * HOUR),
        jumpClock(clockFile, 'the clock is set ahead by 3 days', 3 * DAY),
      ]
    : [];
  return [
    fullDisk(machine),
    readOnlyDisk(machine),
    noDescriptors(machine),
    ...(stream ? [unreadStreams(port, stream)] : []),
    ...clocks,
  ];
}
