import type { Coded } from '../messages.ts';

/** What is wrong with what was posted: with one field, or with all of it. The catalogue has the words. */
export type Problem<Field extends string> = { readonly field?: Field | undefined } & Coded<'problem'>;

/** A message about what has just been done, shown once after a redirect. */
export type Notice = Coded<'notice'>;

/** One of our forms: where it is posted, the token that shows it is ours (field `csrf`), what was wrong with it. */
export interface Form<Field extends string = never> {
  action: string;
  csrf: string;
  problems?: readonly Problem<Field>[] | undefined;
}

/** A form that oidc-provider handles itself; its token is in `ctx.oidc.session.state.secret` (field `xsrf`). */
export interface ProviderForm<Field extends string = never> {
  action: string;
  xsrf: string;
  problems?: readonly Problem<Field>[] | undefined;
}
