/** A lease that a process asks for. */
export interface LeaseRequest {
  name: string;
  /** Id of the process. */
  holder: string;
  now: Date;
  expiresAt: Date;
}

/** Leases of the processes that share a database: each has at most one holder until it expires. */
export interface Leases {
  /** Takes a free or expired lease, or extends that of the holder. Resolves to whether the holder has it now. */
  acquire(request: LeaseRequest): Promise<boolean>;
  /** Frees a lease if this holder has it. */
  release(lease: Pick<LeaseRequest, 'name' | 'holder'>): Promise<void>;
}
