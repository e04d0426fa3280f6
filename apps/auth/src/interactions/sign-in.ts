import type { Context } from 'koa';
import type Provider from 'oidc-provider';
import { byPassword } from '../accounts/by-password.ts';
import type { CredentialsForm } from './credentials-form.ts';
import { finish, getClient, type Interaction, leaveSession, textOf } from './interaction.ts';
import type { InteractionPages } from './interaction-pages.ts';

/** Who is signed in in this browser by now, and how they did. */
export type FindSignedIn = (
  provider: Provider,
  ctx: Context,
) => Promise<
  | {
      account: { id: string };
      session: { loginTs?: number | undefined; acr?: string | undefined; amr?: string[] | undefined };
    }
  | undefined
>;

export interface SignInStepOptions {
  credentials: CredentialsForm;
  findSignedIn: FindSignedIn;
  pages: InteractionPages;
}

/** Signing in on the way to a client. */
export interface SignInStep {
  show(provider: Provider, ctx: Context, interaction: Interaction, email?: string): Promise<void>;
  submit(provider: Provider, ctx: Context, interaction: Interaction, form: URLSearchParams): Promise<void>;
}

export function createSignInStep({ credentials, findSignedIn, pages }: SignInStepOptions): SignInStep {
  /** Goes on with who has signed in in another tab meanwhile, or confirmed a new account there. */
  async function takeUp(provider: Provider, ctx: Context, { prompt }: Interaction): Promise<boolean> {
    const isAnybodyRight = prompt.name === 'login' && prompt.reasons.every((each) => each === 'no_session');
    const person = isAnybodyRight ? await findSignedIn(provider, ctx) : undefined;
    if (!person) return false;
    const { loginTs: ts, acr, amr } = person.session;
    const how = { ...(ts !== undefined && { ts }), ...(acr && { acr }), ...(amr && { amr }) };
    const login = { accountId: person.account.id, ...how };
    await finish(provider, ctx, { login }, { mergeWithLastSubmission: false });
    return true;
  }

  return {
    async show(provider, ctx, interaction, email) {
      if (await takeUp(provider, ctx, interaction)) return;
      const hint = email ?? textOf(interaction.params.login_hint);
      const client = await getClient(provider, interaction);
      pages.writeSignIn(ctx, { interaction, client, email: hint });
    },
    async submit(provider, ctx, interaction, form) {
      const client = await getClient(provider, interaction);
      const checked = await credentials.check(ctx, form, client.clientId);
      if (checked.account) {
        const { account, loginTs: ts } = checked;
        await leaveSession(provider, ctx, { interaction, unlessOf: account.id });
        const login = { accountId: account.id, ts, ...byPassword };
        return finish(provider, ctx, { login }, { mergeWithLastSubmission: false });
      }
      ctx.status = checked.status;
      const { problems } = checked;
      pages.writeSignIn(ctx, { interaction, client, email: form.get('email') ?? '', problems });
    },
  };
}
