import type { Context } from 'koa';
import type { Client } from '../clients/client.ts';
import type { ClientStore } from '../clients/client-store.ts';
import type { Interaction } from './interaction.ts';

/** An interaction that this browser was led through, and the application that it was for. */
export interface RecentInteraction {
  uid: string;
  clientId: string;
}

/** Knows which application an interaction is for, even when nothing is left of it. */
export interface RecentApplications {
  note(ctx: Context, interaction: Interaction): void;
  find(ctx: Context, uid: string): Promise<Client | undefined>;
}

export interface RecentApplicationsOptions {
  /** What the browser keeps, unchanged by anybody else. */
  cookie: {
    get(ctx: Context): readonly RecentInteraction[] | undefined;
    set(ctx: Context, recent: readonly RecentInteraction[]): void;
  };
  clients: Pick<ClientStore, 'find'>;
}

/** One sign-in takes two interactions. */
const MAX_RECENT = 6;
/** Longer ones are addresses of documents, whose clients have no home page that was checked. */
const MAX_CLIENT_ID_LENGTH = 100;

export function createRecentApplications({ cookie, clients }: RecentApplicationsOptions): RecentApplications {
  return {
    note(ctx, { uid, params }) {
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
