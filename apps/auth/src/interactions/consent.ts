import type { Context } from 'koa';
import type Provider from 'oidc-provider';
import { type Client, errors, type Grant } from 'oidc-provider';
import { type Account, scopesOfClaims } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import { isSignInStillValid } from '../accounts/credential-epoch.ts';
import type { Audit } from '../audit/audit.ts';
import { ownerOf } from '../provider/client-metadata.ts';
import { createGrant, credentialEpochOf, findGrant } from '../provider/credential-epochs.ts';
import type { RememberedConsents } from '../provider/remembered-consents.ts';
import { finish, getClient, type Interaction, textOf } from './interaction.ts';
import type { InteractionPages } from './interaction-pages.ts';

export interface ConsentStepOptions {
  accounts: Pick<AccountStore, 'find'>;
  pages: InteractionPages;
  consents: Pick<RememberedConsents, 'remember'>;
  audit: Pick<Audit, 'record'>;
  /** Milliseconds since the epoch. */
  clock: () => number;
}

/** Allowing a client what it asks for. */
export interface ConsentStep {
  show(provider: Provider, ctx: Context, interaction: Interaction): Promise<void>;
  /** The same page once more, because the form was not ours or too old. */
  showAgain(provider: Provider, ctx: Context, interaction: Interaction): Promise<void>;
  allow(provider: Provider, ctx: Context, interaction: Interaction): Promise<void>;
  deny(provider: Provider, ctx: Context, interaction: Interaction): Promise<void>;
}

export function createConsentStep(options: ConsentStepOptions): ConsentStep {
  const { accounts, pages, consents } = options;
  const record = createConsentAudit(options);

  /** Loads the account of the interaction's session, whose sign-in must still be valid. */
  async function load(provider: Provider, interaction: Interaction) {
    const { accountId = '', uid = '' } = interaction.session ?? {};
    const session = await provider.Session.findByUid(uid);
    const account = await accounts.find(accountId);
    if (
      !session ||
      session.accountId !== accountId ||
      !isSignInStillValid(account, credentialEpochOf(session))
    )
      throw new errors.SessionNotFound('the sign-in has ended');
    return { account, client: await getClient(provider, interaction) };
  }

  async function show(provider: Provider, ctx: Context, interaction: Interaction, hasExpiredForm: boolean) {
    const { account, client } = await load(provider, interaction);
    const { missing, granted } = askedIn(interaction);
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
    showAgain: (provider, ctx, interaction) => show(provider, ctx, interaction, true),
    async allow(provider, ctx, interaction) {
      const { account, client } = await load(provider, interaction);
      const grant = await saveGrant(provider, interaction, { account, client });
      await consents.remember(grant, client);
      await record(ctx, 'consent.given', interaction);
      const grantId = grant.jti;
      await finish(provider, ctx, { consent: { grantId } }, { mergeWithLastSubmission: true });
    },
    async deny(provider, ctx, interaction) {
      // Nobody is told when the client is gone, and the person shall know why.
      await getClient(provider, interaction);
      if (interaction.prompt.name === 'consent') await record(ctx, 'consent.denied', interaction);
      // RFC 6749 §4.1.2.1: the client is told, at its redirect URI.
      const result = { error: 'access_denied', error_description: 'End-User aborted interaction' };
      await finish(provider, ctx, result, { mergeWithLastSubmission: false });
    },
  };
}

/** What the library's consent prompt says is missing in the grant. */
interface Missing {
  missingOIDCScope?: string[];
  /** Asked for one by one (OpenID Connect Core §5.5). */
  missingOIDCClaims?: string[];
  missingResourceScopes?: Record<string, string[]>;
}

/** What is asked for now and, if that is more than before, what was allowed before. */
function askedIn({ prompt, params }: Interaction): {
  missing: readonly string[];
  granted: readonly string[];
} {
  const {
    missingOIDCScope = [],
    missingOIDCClaims = [],
    missingResourceScopes = {},
  } = prompt.details as Missing;
  const requested = (textOf(params.scope) ?? '').split(' ').filter(Boolean);
  const missing = new Set([
    ...missingOIDCScope,
    ...scopesOfClaims(missingOIDCClaims),
    ...Object.values(missingResourceScopes).flat(),
  ]);
  // Asked again without need (`prompt=consent`, a native app), all of it is shown.
  if (missing.size === 0) return { missing: requested, granted: [] };
  return { missing: [...missing], granted: requested.filter((scope) => !missing.has(scope)) };
}

async function saveGrant(
  provider: Provider,
  { grantId, prompt }: Interaction,
  { account, client }: { account: Account; client: Client },
): Promise<Grant> {
  const {
    missingOIDCScope = [],
    missingOIDCClaims = [],
    missingResourceScopes = {},
  } = prompt.details as Missing;
  const { id: accountId, credentialEpoch } = account;
  const existing = await findGrant(provider, grantId, credentialEpoch);
  const owner = { accountId, clientId: client.clientId };
  const grant = existing ?? createGrant(provider, owner, credentialEpoch);
  if (missingOIDCScope.length > 0) grant.addOIDCScope(missingOIDCScope.join(' '));
  if (missingOIDCClaims.length > 0) grant.addOIDCClaims(missingOIDCClaims);
  for (const [resource, scopes] of Object.entries(missingResourceScopes))
    grant.addResourceScope(resource, scopes.join(' '));
  await grant.save();
  return grant;
}

/** Takes into the audit record who allowed or denied what to which client. */
function createConsentAudit({ audit, clock }: Pick<ConsentStepOptions, 'audit' | 'clock'>) {
  return (ctx: Context, type: 'consent.given' | 'consent.denied', interaction: Interaction) => {
    const accountId = interaction.session?.accountId ?? null;
    return audit.record({
      type,
      at: new Date(clock()),
      actor: accountId,
      accountId,
      clientId: String(interaction.params.client_id),
      address: ctx.ip,
      requestId: ctx.state.requestId ?? null,
      details: { scope: askedIn(interaction).missing.join(' ') },
    });
  };
}
