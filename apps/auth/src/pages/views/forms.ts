import type { Coded } from '../messages.ts';

/** Problem of one field or of the whole form; the catalogue has its text. */
export type Problem<Field extends string> = { readonly field?: Field | undefined } & Coded<'problem'>;

/** Message about the last action, shown once after a redirect. */
export type Notice = Coded<'notice'>;

/** Form of this server: its action, its CSRF token (field `csrf`) and the problems of the rejected input. */
export interface Form<Field extends string = never> {
  action: string;
  csrf: string;
  problems?: readonly Problem<Field>[] | undefined;
}

/** Form that oidc-provider handles; its token is `ctx.oidc.session.state.secret` (field `xsrf`). */
export interface ProviderForm<Field extends string = never> {
  action: string;
  xsrf: string;
  problems?: readonly Problem<Field>[] | undefined;
}
