const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a text is a UUID, in either case (RFC 9562 §4). */
export function isUuid(text: string): boolean {
  return uuid.test(text);
}
