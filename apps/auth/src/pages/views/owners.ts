import type { AccountShell } from './account.ts';
import type { ApplicationSummary } from './application.ts';
import type { Form } from './forms.ts';

/** Owner or co-owner of an application. */
export interface OwnerView {
  id: string;
  name?: string | undefined;
  email: string;
  /** Date on which a co-owner joined; absent for the owner. */
  since?: Date | undefined;
  /** Whether this is the signed-in user. */
  isReader: boolean;
  /** Links of the owner's actions on a co-owner. */
  links?: { handOver: string; remove: string } | undefined;
}

/** Owners section of an application's page. */
export interface OwnersView {
  /** The owner first. */
  people: readonly OwnerView[];
  /** Pending and expired invitations, without answered and withdrawn ones. */
  invitations: readonly {
    id: string;
    email: string;
    expiresAt: Date;
    isExpired: boolean;
    withdrawAction: string;
  }[];
  /** Form that invites a co-owner; absent at the maximum number. */
  form?: Form<'invited_email'> | undefined;
  /** Rejected input. */
  invitedEmail?: string | undefined;
  /** Maximum number of co-owners, including pending invitations. */
  max: number;
  /** Link to leave the application; absent for the owner, who cannot leave. */
  leave?: string | undefined;
}

/** Confirmation before an application gets another owner or loses a co-owner. */
export interface ChangeOwnersView {
  shell: AccountShell;
  change: 'hand_over' | 'remove_co_owner' | 'leave';
  form: Form;
  application: { name: string; isVerified: boolean };
  /** The affected co-owner; absent when a co-owner leaves. */
  person?: Pick<OwnerView, 'name' | 'email'> | undefined;
  links: { cancel: string };
}

/** Page that the link of an invitation opens. */
export type InvitationView = { shell: AccountShell } & (
  | {
      state: 'pending';
      form: Form;
      /** Secret from the link, posted as `token`. */
      token: string;
      application: ApplicationSummary;
      /** Owner who sent the invitation. */
      from: Pick<OwnerView, 'name' | 'email'>;
      expiresAt: Date;
    }
  | {
      state: 'accepted' | 'declined' | 'withdrawn' | 'expired' | 'other_account' | 'unknown';
      links: { applications: string; signOut: string };
    }
);
