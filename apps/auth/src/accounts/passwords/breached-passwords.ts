import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync, read as readWithCallback } from 'node:fs';
import { promisify } from 'node:util';
import { createOutboundFetch } from '../../outbound/outbound-fetch.ts';

export interface BreachedPasswordsOptions {
  /** File of SHA-1 digests, one a line, in ascending order; see `createFileSearch`. */
  file?: string | undefined;
  /** URL of a range API, with a final slash; see `createRangeSearch`. */
  url?: string | undefined;
  /** Receives the error of a look-up that failed. */
  onError(err: unknown): void;
}

/** Passwords that are known from data breaches (NIST SP 800-63B §5.1.1.2). */
export interface BreachedPasswords {
  /**
   * Whether the password is known from a breach. A look-up that fails is reported and resolves with `false`, so that
   * users can still choose passwords during an outage of the range API.
   */
  has(password: string): Promise<boolean>;
  close(): void;
}

type Search = (digest: string) => Promise<boolean>;

const digestLine = /^[\dA-F]{40}(:\d+)?\r?$/i;
const DIGEST_LENGTH = 40;
/** More than the longest line: a digest, a colon, a count and the end of the line. */
const LINE_BYTES = 64;
/** First characters of a digest that a range API learns; some 800 passwords share them. */
const PREFIX_LENGTH = 5;
const MAX_TIME_MS = 2_000;

const read = promisify(readWithCallback);

/** @throws {Error} if the file cannot be read or has other content */
export function openBreachedPasswords({ file, url, onError }: BreachedPasswordsOptions): BreachedPasswords {
  const opened = file === undefined ? undefined : openFile(file);
  const searches = [
    ...(opened ? [createFileSearch(opened)] : []),
    ...(url === undefined ? [] : [createRangeSearch(url)]),
  ];

  async function isFoundBy(search: Search, digest: string): Promise<boolean> {
    try {
      return await search(digest);
    } catch (err) {
      onError(err);
      return false;
    }
  }

  return {
    async has(password) {
      // SHA-1 because the published lists consist of it. It protects nothing here.
      const digest = createHash('sha1').update(password).digest('hex').toUpperCase();
      const found = await Promise.all(searches.map((search) => isFoundBy(search, digest)));
      return found.includes(true);
    },
    close() {
      if (opened) closeSync(opened.descriptor);
    },
  };
}

interface OpenedFile {
  descriptor: number;
  /** In bytes. */
  size: number;
}

function openFile(path: string): OpenedFile {
  const descriptor = openSync(path, 'r');
  const buffer = Buffer.alloc(LINE_BYTES);
  const [firstLine = ''] = buffer.toString('latin1', 0, readSync(descriptor, buffer)).split('\n');
  if (digestLine.test(firstLine)) return { descriptor, size: fstatSync(descriptor).size };
  closeSync(descriptor);
  throw new Error(
    `BREACHED_PASSWORDS_FILE: ${path} does not begin with a SHA-1 digest of 40 hexadecimal digits; use a list of Pwned Passwords that is ordered by hash`,
  );
}

/** Creates a binary search in the format of Pwned Passwords "ordered by hash": `<SHA-1 in hexadecimal>:<count>`. */
function createFileSearch({ descriptor, size }: OpenedFile): Search {
  const window = 2 * LINE_BYTES;

  /** Returns the line that contains the byte at the position, and where it begins and ends. */
  async function readLineAt(position: number): Promise<{ line: string; start: number; end: number }> {
    const from = Math.max(0, position - LINE_BYTES);
    const { bytesRead, buffer } = await read(descriptor, Buffer.alloc(window), 0, window, from);
    const text = buffer.toString('latin1', 0, bytesRead);
    const start = text.lastIndexOf('\n', position - from - 1) + 1;
    const newline = text.indexOf('\n', position - from);
    const end = newline === -1 ? bytesRead : newline + 1;
    return { line: text.slice(start, end), start: from + start, end: from + end };
  }

  return async (digest) => {
    let [low, high] = [0, size];
    while (low < high) {
      const { line, start, end } = await readLineAt(Math.floor((low + high) / 2));
      const candidate = line.slice(0, DIGEST_LENGTH).toUpperCase();
      if (candidate === digest) return true;
      if (candidate < digest) low = end;
      else high = start;
    }
    return false;
  };
}

/**
 * Creates a look-up by a range API, such as that of Pwned Passwords: it receives the first five digits of the digest,
 * and returns the rest of each digest that begins with them (k-anonymity). Padding hides how many these are.
 */
function createRangeSearch(url: string): Search {
  const fetchRange = createOutboundFetch({ allowsPrivateAddresses: true });

  return async (digest) => {
    const response = await fetchRange(new URL(digest.slice(0, PREFIX_LENGTH), url), {
      headers: { 'Add-Padding': 'true', 'User-Agent': 'Keydesk' },
      signal: AbortSignal.timeout(MAX_TIME_MS),
    });
    if (response.status !== 200) throw new Error(`The range API responded with status ${response.status}.`);
    const suffix = digest.slice(PREFIX_LENGTH);
    // A count of 0 is padding.
    return (await response.text()).split('\n').some((line) => {
      const [candidate, count] = line.trim().split(':');
      return candidate?.toUpperCase() === suffix && count !== '0';
    });
  };
}
