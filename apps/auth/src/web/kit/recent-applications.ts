import type { Context } from 'koa';
import type { Client } from '../../clients/client.ts';
import type { ClientStore } from '../../clients/client-store.ts';
import type { Interaction } from './interaction.ts';

/** A recent interaction of this browser, and its application. */
export interface RecentInteraction {
  uid: string;
  clientId: string;
}

/** Remembers the application of an interaction in a cookie, so that error pages find it after the interaction expired. */
export interface RecentApplications {
  record(ctx: Context, interaction: Interaction): void;
  find(ctx: Context, uid: string): Promise<Client | undefined>;
}

export interface RecentApplicationsOptions {
  /** The signed cookie. */
  cookie: {
    get(ctx: Context): readonly RecentInteraction[] | undefined;
    set(ctx: Context, recent: readonly RecentInteraction[]): void;
  };
  clients: Pick<ClientStore, 'find'>;
}

/** Limit of stored interactions; one sign-in takes two. */
const MAX_RECENT = 6;
/** Limit of stored client ids; longer ones are URLs of metadata documents, whose home pages are not validated. */
const MAX_CLIENT_ID_LENGTH = 100;

export function createRecentApplications({ cookie, clients }: RecentApplicationsOptions): RecentApplications {
  return {
    record(ctx, { uid, params }) {
      const clientId = String(params.client_id);
      if (clientId.length > MAX_CLIENT_ID_LENGTH) return;
      const others = (cookie.get(ctx) ?? []).filter((each) => each.uid !== uid);
      cookie.set(ctx, [{ uid, clientId }, ...others].slice(0, MAX_RECENT));
    },
    async find(ctx, uid) {
      const recent = cookie.get(ctx)?.find((each) => each.uid === uid);
      return recent && clients.find(recent.clientId);
    },
  };
}
