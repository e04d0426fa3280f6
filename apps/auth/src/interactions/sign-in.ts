import type { Context } from 'koa';
import type Provider from 'oidc-provider';
import type { CredentialsForm } from './credentials-form.ts';
import { finish, getClient, type Interaction, leaveSession, textOf } from './interaction.ts';
import type { InteractionPages } from './interaction-pages.ts';

export interface SignInStepOptions {
  credentials: CredentialsForm;
  pages: InteractionPages;
}

/** Signing in on the way to a client. */
export interface SignInStep {
  show(provider: Provider, ctx: Context, interaction: Interaction, email?: string): Promise<void>;
  submit(provider: Provider, ctx: Context, interaction: Interaction, form: URLSearchParams): Promise<void>;
}

export function createSignInStep({ credentials, pages }: SignInStepOptions): SignInStep {
  return {
    async show(provider, ctx, interaction, email) {
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
        const login = { accountId: account.id, ts, amr: ['pwd'] };
        return finish(provider, ctx, { login }, { mergeWithLastSubmission: false });
      }
      ctx.status = checked.status;
      const { problems } = checked;
      pages.writeSignIn(ctx, { interaction, client, email: form.get('email') ?? '', problems });
    },
  };
}
