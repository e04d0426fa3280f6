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
    throw new Error(`${host}:${port} cannot be used (${reason(err)}); ${remedy(err, setting)}.`, {
      cause: err,
    });
  } finally {
    probe.close();
  }
}

function reason(err: unknown): string {
  const code = codeOf(err);
  return code === 'EADDRINUSE' ? 'another program listens there' : (code ?? String(err));
}

/** Another port does not help where it is the address that nobody can listen on. */
function remedy(err: unknown, setting: string): string {
  const isOfHost = ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'].includes(codeOf(err) ?? '');
  return isOfHost ? 'set HOST to an address of this machine' : `set ${setting} to another port`;
}

function codeOf(err: unknown): string | undefined {
  return err instanceof Error && 'code' in err ? String(err.code) : undefined;
}
