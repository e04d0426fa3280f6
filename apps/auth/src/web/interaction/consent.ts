import type { Context } from 'koa';
import type Provider from 'oidc-provider';
import { type Client, errors, type Grant } from 'oidc-provider';
import { type Account, scopesOfClaims } from '../../accounts/account/account.ts';
import type { AccountStore } from '../../accounts/account/account-store.ts';
import { isSignInStillValid } from '../../accounts/account/credential-epoch.ts';
import { createGrant, findCredentialEpoch, findGrant } from '../../artifacts/credential-epochs.ts';
import type { Audit } from '../../audit/audit.ts';
import { ownerOf } from '../../provider/clients/client-metadata.ts';
import type { RememberedConsents } from '../../provider/grants/remembered-consents.ts';
import { asString, finishInteraction, getClient, type Interaction } from '../kit/interaction.ts';
import type { InteractionPages } from './interaction-pages.ts';

export interface ConsentStepOptions {
  accounts: Pick<AccountStore, 'find'>;
  pages: InteractionPages;
  consents: Pick<RememberedConsents, 'remember'>;
  audit: Pick<Audit, 'record'>;
  now: () => Date;
}

/** Consent step of an interaction. */
export interface ConsentStep {
  show(provider: Provider, ctx: Context, interaction: Interaction): Promise<void>;
  /** Shows the page again, because its form was invalid or expired. */
  showExpiredForm(provider: Provider, ctx: Context, interaction: Interaction): Promise<void>;
  allow(provider: Provider, ctx: Context, interaction: Interaction): Promise<void>;
  deny(provider: Provider, ctx: Context, interaction: Interaction): Promise<void>;
}

export function createConsentStep(options: ConsentStepOptions): ConsentStep {
  const { accounts, pages, consents } = options;
  const record = createConsentAudit(options);

  /** Loads the account and the client; rejects if the sign-in is no longer valid. */
  async function load(provider: Provider, interaction: Interaction) {
    const { accountId = '', uid = '' } = interaction.session ?? {};
    const session = await provider.Session.findByUid(uid);
    const account = await accounts.find(accountId);
    if (
      !session ||
      session.accountId !== accountId ||
      !isSignInStillValid(account, findCredentialEpoch(session))
    )
      throw new errors.SessionNotFound('the sign-in has ended');
    return { account, client: await getClient(provider, interaction) };
  }

  async function show(provider: Provider, ctx: Context, interaction: Interaction, hasExpiredForm: boolean) {
    const { account, client } = await load(provider, interaction);
    const { missing, granted } = consentScopesOf(interaction);
    const owner = await accounts.find(ownerOf(client) ?? '');
    pages.writeConsent(ctx, {
      interaction,
      client,
      owner,
      account,
      scopes: missing,
      grantedScopes: granted,
      hasExpiredForm,
    });
  }

  return {
    show: (provider, ctx, interaction) => show(provider, ctx, interaction, false),
    showExpiredForm: (provider, ctx, interaction) => show(provider, ctx, interaction, true),
    async allow(provider, ctx, interaction) {
      const { account, client } = await load(provider, interaction);
      const grant = await saveGrant(provider, interaction, { account, client });
      await consents.remember(grant, client);
      await record(ctx, 'consent.given', interaction);
      const grantId = grant.jti;
      await finishInteraction(provider, ctx, { consent: { grantId } }, { mergeWithLastSubmission: true });
    },
    async deny(provider, ctx, interaction) {
      // A removed client gets no response, and the user is shown the error.
      await getClient(provider, interaction);
      if (interaction.prompt.name === 'consent') await record(ctx, 'consent.denied', interaction);
      // RFC 6749 §4.1.2.1: the client gets the error at its redirect URI.
      const result = { error: 'access_denied', error_description: 'End-User aborted interaction' };
      await finishInteraction(provider, ctx, result, { mergeWithLastSubmission: false });
    },
  };
}

/** Members that the grant lacks, as oidc-provider's consent prompt lists them. */
interface MissingConsent {
  missingOIDCScope?: string[];
  /** Claims that were requested individually (OpenID Connect Core §5.5). */
  missingOIDCClaims?: string[];
  missingResourceScopes?: Record<string, string[]>;
}

/** Splits the requested scopes into missing ones, which need consent, and granted ones. */
function consentScopesOf({ prompt, params }: Interaction): {
  missing: readonly string[];
  granted: readonly string[];
} {
  const {
    missingOIDCScope = [],
    missingOIDCClaims = [],
    missingResourceScopes = {},
  } = prompt.details as MissingConsent;
  const requested = (asString(params.scope) ?? '').split(' ').filter(Boolean);
  const missing = new Set([
    ...missingOIDCScope,
    ...scopesOfClaims(missingOIDCClaims),
    ...Object.values(missingResourceScopes).flat(),
  ]);
  // Nothing is missing for `prompt=consent` and native clients, so the page shows all requested scopes.
  if (missing.size === 0) return { missing: requested, granted: [] };
  return { missing: [...missing], granted: requested.filter((scope) => !missing.has(scope)) };
}

async function saveGrant(
  provider: Provider,
  { grantId, prompt, session }: Interaction,
  { account, client }: { account: Account; client: Client },
): Promise<Grant> {
  const {
    missingOIDCScope = [],
    missingOIDCClaims = [],
    missingResourceScopes = {},
  } = prompt.details as MissingConsent;
  const { id: accountId, credentialEpoch } = account;
  const existing = await findGrant(provider, grantId, credentialEpoch);
  const owner = { accountId, clientId: client.clientId };
  const grant = existing ?? createGrant(provider, owner, { credentialEpoch, sessionUid: session?.uid });
  if (missingOIDCScope.length > 0) grant.addOIDCScope(missingOIDCScope.join(' '));
  if (missingOIDCClaims.length > 0) grant.addOIDCClaims(missingOIDCClaims);
  for (const [resource, scopes] of Object.entries(missingResourceScopes))
    grant.addResourceScope(resource, scopes.join(' '));
  await grant.save();
  return grant;
}

/** Writes decisions on consent to the audit log. */
function createConsentAudit({ audit, now }: Pick<ConsentStepOptions, 'audit' | 'now'>) {
  return (ctx: Context, type: 'consent.given' | 'consent.denied', interaction: Interaction) => {
    const accountId = interaction.session?.accountId ?? null;
    return audit.record({
      type,
      at: now(),
      actor: accountId,
      accountId,
      clientId: String(interaction.params.client_id),
      address: ctx.ip,
      requestId: ctx.state.requestId ?? null,
      details: { scope: consentScopesOf(interaction).missing.join(' ') },
    });
  };
}
