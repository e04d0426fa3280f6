/** An address to listen on, and the setting of its port. */
export interface AddressSetting {
  host: string;
  port: number;
  setting: string;
}

/** Creates an error that states why an address cannot be bound and which setting to change. */
export function toBindError(err: unknown, { host, port, setting }: AddressSetting): Error {
  const code = err instanceof Error && 'code' in err ? String(err.code) : undefined;
  const reason = code === 'EADDRINUSE' ? 'another program listens there' : (code ?? String(err));
  // For these codes the host is invalid, so another port does not help.
  const isOfHost = ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'].includes(code ?? '');
  const remedy = isOfHost ? 'set HOST to an address of this machine' : `set ${setting} to another port`;
  return new Error(`${host}:${port} cannot be used (${reason}); ${remedy}.`, { cause: err });
}
