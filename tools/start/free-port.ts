import { createServer } from 'node:net';
import { toBindError } from '@keydesk/server/bind-error';

/**
 * Checks that a port can be bound.
 *
 * @throws {Error} with one sentence that names the setting to change
 */
export async function requireFreePort(host: string, port: number, setting: string): Promise<void> {
  const probe = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      probe.once('error', reject);
      probe.listen({ host, port, exclusive: true }, resolve);
    });
  } catch (err) {
    throw toBindError(err, { host, port, setting });
  } finally {
    probe.close();
  }
}
