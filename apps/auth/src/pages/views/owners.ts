import type { AccountShell } from './account.ts';
import type { ApplicationSummary } from './application.ts';
import type { Form } from './forms.ts';

/** An owner or co-owner of an application. */
export interface OwnerView {
  id: string;
  name?: string | undefined;
  email: string;
  /** When a co-owner joined; absent for the owner. */
  since?: Date | undefined;
  /** Whether this is the person who reads the page. */
  isReader: boolean;
  /** What the owner of the application can do with a co-owner. */
  links?: { handOver: string; remove: string } | undefined;
}

/** The part of an application's page that is about its owners. */
export interface OwnersView {
  /** The owner first. */
  people: readonly OwnerView[];
  /** Without those that were answered or withdrawn. */
  invitations: readonly {
    id: string;
    email: string;
    expiresAt: Date;
    isExpired: boolean;
    withdrawAction: string;
  }[];
  /** Invites another co-owner; absent when there may be no more. */
  form?: Form<'invited_email'> | undefined;
  /** As typed before. */
  invitedEmail?: string | undefined;
  /** Co-owners that there may be, those with a pending invitation included. */
  max: number;
  /** Absent for the owner, who cannot leave. */
  leave?: string | undefined;
}

/** Asks before an application gets another owner or loses a co-owner. */
export interface ChangeOwnersView {
  shell: AccountShell;
  change: 'hand_over' | 'remove_co_owner' | 'leave';
  form: Form;
  application: { name: string; isVerified: boolean };
  /** The co-owner that it is about; absent when a co-owner leaves. */
  person?: Pick<OwnerView, 'name' | 'email'> | undefined;
  links: { cancel: string };
}

/** Where the link in an invitation leads. */
export type InvitationView = { shell: AccountShell } & (
  | {
      state: 'pending';
      form: Form;
      /** The secret from the link, posted back as `token`. */
      token: string;
      application: ApplicationSummary;
      /** Who invites. */
      from: Pick<OwnerView, 'name' | 'email'>;
      expiresAt: Date;
    }
  | {
      state: 'accepted' | 'declined' | 'withdrawn' | 'expired' | 'other_account' | 'unknown';
      links: { applications: string; signOut: string };
    }
);
