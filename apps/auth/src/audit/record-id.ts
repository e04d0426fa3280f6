import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';

const SEQUENCE_END = 2 ** 32;
const ID_BYTES = 16;

/**
 * Creates a generator of ids (UUIDv7, RFC 9562 §5.7). Ids of the same millisecond sort by creation. A counter makes
 * them unique, and 42 random bits distinguish generators (§6.2, §6.4). No secret depends on them, so one draw of random
 * bits is enough for all ids of a generator.
 */
export function createRecordIds(): (at: Date) => string {
  const random = randomBytes(ID_BYTES);
  let made = 0;

  return (at) => {
    made = (made + 1) % SEQUENCE_END;
    return uuidv7({ msecs: at.getTime(), seq: made, random });
  };
}

const TIMESTAMP_DIGITS = 12;
const FIRST_GROUP_DIGITS = 8;

/** Returns a prefix that sorts before every id of an instant and after every earlier one. */
export function firstIdAt(at: Date): string {
  const digits = Math.max(0, at.getTime()).toString(16).padStart(TIMESTAMP_DIGITS, '0');
  return `${digits.slice(0, FIRST_GROUP_DIGITS)}-${digits.slice(FIRST_GROUP_DIGITS)}-`;
}
