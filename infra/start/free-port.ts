import { createServer } from 'node:net';

/**
 * Checks that a port can be bound.
 *
 * @throws {Error} with one sentence that names the setting to change.
 */
export async function requireFreePort(host: string, port: number, setting: string): Promise<void> {
  const probe = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      probe.once('error', reject);
      probe.listen({ host, port, exclusive: true }, resolve);
    });
  } catch (err) {
    throw new Error(`${host}:${port} cannot be used (${reason(err)}); set ${setting} to another port.`, {
      cause: err,
    });
  } finally {
    probe.close();
  }
}

function reason(err: unknown): string {
  if (!(err instanceof Error) || !('code' in err)) return String(err);
  return err.code === 'EADDRINUSE' ? 'another program listens there' : String(err.code);
}
