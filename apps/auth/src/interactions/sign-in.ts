import type { Context } from 'koa';
import type Provider from 'oidc-provider';
import { passwordAuthentication } from '../accounts/password-authentication.ts';
import type { CredentialsForm } from './credentials-form.ts';
import { detachSession, finish, getClient, type Interaction, leaveSession, textOf } from './interaction.ts';
import type { InteractionPages } from './interaction-pages.ts';

/** Who is signed in in this browser by now, and how they did. */
export type FindSignedIn = (
  provider: Provider,
  ctx: Context,
) => Promise<
  | {
      account: { id: string; credentialEpoch: number };
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
  /** Begins with the page where accounts are opened. */
  leadToSignUp(provider: Provider, ctx: Context, interaction: Interaction): Promise<void>;
  show(provider: Provider, ctx: Context, interaction: Interaction, email?: string): Promise<void>;
  submit(provider: Provider, ctx: Context, interaction: Interaction, form: URLSearchParams): Promise<void>;
}

/** That nobody has to open an account any more, by the name of the prompt that asked for it. */
const hasAccount = { create: {} };

export function createSignInStep({ credentials, findSignedIn, pages }: SignInStepOptions): SignInStep {
  /** Goes on with who has signed in in another tab meanwhile, or confirmed a new account there. */
  async function takeUp(provider: Provider, ctx: Context, { prompt }: Interaction): Promise<boolean> {
    const isAnybodyRight = prompt.reasons.every((each) => each === 'no_session' || each === 'create_prompt');
    const person = isAnybodyRight ? await findSignedIn(provider, ctx) : undefined;
    if (!person) return false;
    if (prompt.name === 'create') {
      // The library looks at the session itself, and whether the request asks for more than that.
      await finish(provider, ctx, hasAccount, { mergeWithLastSubmission: false });
      return true;
    }
    const { loginTs: ts, acr, amr } = person.session;
    const how = { ...(ts !== undefined && { ts }), ...(acr && { acr }), ...(amr && { amr }) };
    const { id: accountId, credentialEpoch } = person.account;
    const login = { accountId, credentialEpoch, ...how };
    await finish(provider, ctx, { login, ...hasAccount }, { mergeWithLastSubmission: false });
    return true;
  }

  return {
    async leadToSignUp(_provider, ctx, interaction) {
      // Who opens an account leaves the session that the interaction began in.
      await detachSession(interaction);
      pages.leadToSignUp(ctx, interaction);
    },
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
        const login = {
          accountId: account.id,
          credentialEpoch: account.credentialEpoch,
          ts,
          ...passwordAuthentication,
        };
        return finish(provider, ctx, { login, ...hasAccount }, { mergeWithLastSubmission: false });
      }
      ctx.status = checked.status;
      const { problems } = checked;
      pages.writeSignIn(ctx, { interaction, client, email: form.get('email') ?? '', problems });
    },
  };
}
