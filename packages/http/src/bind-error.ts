/** An address to listen on, and the setting that its port comes from. */
export interface AddressSetting {
  host: string;
  port: number;
  setting: string;
}

/** Says in one sentence why an address cannot be bound, and which setting to change. */
export function toBindError(err: unknown, { host, port, setting }: AddressSetting): Error {
  const code = err instanceof Error && 'code' in err ? String(err.code) : undefined;
  const reason = code === 'EADDRINUSE' ? 'another program listens there' : (code ?? String(err));
  // Another port does not help where it is the address that nobody can listen on.
  const isOfHost = ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'].includes(code ?? '');
  const remedy = isOfHost ? 'set HOST to an address of this machine' : `set ${setting} to another port`;
  return new Error(`${host}:${port} cannot be used (${reason}); ${remedy}.`, { cause: err });
}
