import type { Context } from 'koa';
import type { Client } from 'oidc-provider';
import type { Account } from '../../accounts/account/account.ts';
import type { PasskeySignIn } from '../../accounts/passkeys/passkey-sign-in.ts';
import type { Pages } from '../../pages/pages.ts';
import type { RenderPage } from '../../pages/render.ts';
import type { ConsentView } from '../../pages/views/consent.ts';
import type { Notice } from '../../pages/views/forms.ts';
import type { SignInView } from '../../pages/views/sign-in.ts';
import { isDocumentId } from '../../provider/clients/client-documents.ts';
import { isVerified, logoOf } from '../../provider/clients/client-metadata.ts';
import type { CsrfTokens } from '../kit/form-guard.ts';
import { asString, type Interaction, isReauthentication } from '../kit/interaction.ts';
import { setPageHeaders } from '../kit/page-headers.ts';
import { languageLinksOf, presentationOf } from '../kit/presentation.ts';
import type { RecentApplications } from '../kit/recent-applications.ts';
import type { ProviderButtons } from '../upstream/provider-buttons.ts';

export interface InteractionPagesOptions {
  pages: Pages;
  tokens: CsrfTokens;
  isSignUpOpen: boolean;
  accounts: Pick<PasskeySignIn, 'offerPasskeySignIn'>;
  /** Takes the pending notice of this browser, such as the confirmation of a change on another page. */
  takeNotice: (ctx: Context) => Notice | undefined;
  recent: Pick<RecentApplications, 'record'>;
  providerButtons: Pick<ProviderButtons, 'list' | 'homeIssuers'>;
}

interface PageContent {
  interaction: Interaction;
  client: Client;
}

export interface SignInContent extends PageContent {
  email?: string | undefined;
  problems?: SignInView['form']['problems'] | undefined;
}

export interface ConsentContent extends PageContent {
  account: Account;
  /** The developer who registered the client. */
  owner: Account | undefined;
  scopes: readonly string[];
  grantedScopes: readonly string[];
  hasExpiredForm?: boolean | undefined;
}

/** Writes the pages of an interaction; the caller sets the status. */
export interface InteractionPages {
  writeSignIn(ctx: Context, content: SignInContent): void;
  writeConsent(ctx: Context, content: ConsentContent): void;
  /** Redirects to the sign-up page, which returns to the interaction. */
  redirectToSignUp(ctx: Context, interaction: Interaction): void;
  /** Writes another page of the interaction, at its path. */
  write<View>(
    ctx: Context,
    page: { interaction: Interaction; path: string },
    render: RenderPage<View>,
    view: View,
  ): void;
}

export function createInteractionPages(options: InteractionPagesOptions): InteractionPages {
  const { pages, tokens, accounts, isSignUpOpen, takeNotice, recent, providerButtons } = options;

  function preparePage(ctx: Context, interaction: Interaction, path = `/interaction/${interaction.uid}`) {
    const { params } = interaction;
    recent.record(ctx, interaction);
    const redirectUri = asString(params.redirect_uri);
    setPageHeaders(ctx, { redirectUri, providerUrls: providerButtons.homeIssuers });
    return {
      ...presentationOf(ctx, params.ui_locales),
      languageLinks: languageLinksOf(path),
    };
  }

  return {
    writeSignIn(ctx, { interaction, client, email, problems }) {
      const { uid, session } = interaction;
      const csrf = tokens.tokenFor(uid);
      const view = {
        form: { action: `/interaction/${uid}/sign-in`, csrf, problems },
        passkeyRequest: accounts.offerPasskeySignIn(csrf),
        email,
        notice: takeNotice(ctx),
        application: { name: nameBeforeSignIn(client) },
        providers: listProviders(providerButtons, interaction),
        isAgain: interaction.prompt.name === 'login' && session !== undefined,
        links: signInLinksOf(uid, isSignUpOpen),
      };
      ctx.body = pages.renderSignIn(view, preparePage(ctx, interaction));
    },
    writeConsent(ctx, { interaction, client, account, owner, scopes, grantedScopes, hasExpiredForm }) {
      const { uid, params } = interaction;
      const redirectUri = asString(params.redirect_uri) ?? '';
      const view = {
        form: {
          action: `/interaction/${uid}/consent`,
          csrf: tokens.tokenFor(uid),
          problems: hasExpiredForm ? [{ code: 'form_expired' } as const] : undefined,
        },
        application: toApplication(client, owner),
        account: { email: account.email, name: account.profile.name },
        scopes,
        grantedScopes,
        returnsTo: URL.canParse(redirectUri) ? new URL(redirectUri).host || undefined : undefined,
        isOnDevice: client.applicationType === 'native',
        switchAccountAction: `/interaction/${uid}/switch-account`,
      };
      ctx.body = pages.renderConsent(view, preparePage(ctx, interaction));
    },
    redirectToSignUp(ctx, interaction) {
      recent.record(ctx, interaction);
      redirect(ctx, signUpPathFor(interaction.uid));
    },
    write(ctx, { interaction, path }, render, view) {
      ctx.body = render(view, preparePage(ctx, interaction, path));
    },
  };
}

/** Redirects to another page of an interaction (303, RFC 9110 §15.4.4). */
export function redirect(ctx: Context, path: string): void {
  ctx.set('Cache-Control', 'no-store');
  ctx.status = 303;
  ctx.redirect(path);
}

function toApplication(client: Client, owner: Account | undefined): ConsentView['application'] {
  return {
    name: nameOf(client),
    logo: logoOf(client),
    owner: owner && (owner.profile.name ?? owner.email),
    homePage: client.clientUri,
    documentHost: documentHostOf(client),
    policyUri: client.policyUri,
    tosUri: client.tosUri,
    isVerified: isVerified(client),
  };
}

function signInLinksOf(uid: string, isSignUpOpen: boolean): SignInView['links'] {
  return {
    forgotPassword: `/forgot-password?return_to=/interaction/${uid}`,
    signUp: isSignUpOpen ? signUpPathFor(uid) : undefined,
    cancel: `/interaction/${uid}/cancel`,
  };
}

function listProviders(buttons: Pick<ProviderButtons, 'list'>, interaction: Interaction) {
  return buttons.list({
    returnTo: `/interaction/${interaction.uid}`,
    isAgain: isReauthentication(interaction),
  });
}

function signUpPathFor(uid: string): string {
  return `/sign-up?return_to=/interaction/${uid}`;
}

/** Appends the host to the name of a client with a metadata document, because only that host confirms the name. */
export function nameBeforeSignIn(client: Client): string {
  const host = documentHostOf(client);
  return host === undefined ? nameOf(client) : `${nameOf(client)} (${host})`;
}

function documentHostOf({ clientId }: Client): string | undefined {
  return isDocumentId(clientId) ? new URL(clientId).host : undefined;
}

function nameOf({ clientName, clientId }: Client): string {
  return clientName ?? clientId;
}
