import type Provider from 'oidc-provider';

type Session = InstanceType<Provider['Session']>;

/** Members of sessions that oidc-provider's types omit. */
interface RotatedSession {
  /** The id before `resetIdentifier`. */
  oldId?: string | undefined;
  adapter: { destroy(id: string): Promise<void> };
}

/**
 * Saves a session that gets a new id before the old id ends. oidc-provider does it the other way round; in between, an
 * account that ends its sessions would not find this one.
 */
export function saveBeforeRotation({ Session: { prototype } }: Provider): void {
  const { save } = prototype;
  prototype.save = async function saveThenEndOldId(this: Session & RotatedSession, ttl: number) {
    const { oldId } = this;
    this.oldId = undefined;
    const value = await save.call(this, ttl);
    if (oldId !== undefined) await this.adapter.destroy(oldId);
    return value;
  };
}
