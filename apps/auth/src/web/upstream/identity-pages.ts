import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import type Provider from 'oidc-provider';
import type { Identity } from '../../accounts/identities/identities.ts';
import type { LinkOutcome } from '../../accounts/identities/identity-links.ts';
import type { IdentityProvider } from '../../accounts/identities/identity-provider.ts';
import type { LinkedIdentity } from '../../pages/views/providers.ts';
import { asString } from '../kit/interaction.ts';
import { originOf } from '../kit/origin.ts';
import { getSignedInUser, requireFreshAuthentication, requireSignedIn } from '../kit/signed-in.ts';
import { confirmPathOf, identityPaths } from './provider-buttons.ts';
import { beginUpstream, getProvider, type UpstreamOptions } from './upstream-routes.ts';

const outcomes = {
  linked: 'identity_linked',
  already_linked: 'identity_linked',
  taken: 'provider_taken',
  domain_not_allowed: 'provider_domain_not_allowed',
  address_unverified: 'provider_address_unverified',
} as const satisfies Record<LinkOutcome, string>;

/** Creates the pages on which users link and unlink identities. Changes require a fresh authentication. */
export function createIdentityRoutes(provider: Provider, options: UpstreamOptions): Middleware {
  const router = new Router();
  router.use(options.parts.errorPages);
  const signedIn = requireSignedIn(provider, options.parts);
  const { list, link, confirm } = identityPaths;
  router.get(list, signedIn, (ctx) => showIdentities(ctx, options));
  router.get(`${link}/:provider`, signedIn, requireFreshAuthentication, (ctx) => beginLink(ctx, options));
  router.get(confirm, signedIn, requireFreshAuthentication, (ctx) => showLink(ctx, options));
  router.post(confirm, signedIn, requireFreshAuthentication, (ctx) => confirmLink(ctx, options));
  router.post(list, signedIn, requireFreshAuthentication, (ctx) => unlink(ctx, options));
  // The router adds the context members that its type requires.
  return router.routes() as unknown as Middleware;
}

async function showIdentities(ctx: Context, options: UpstreamOptions): Promise<void> {
  const { parts, accounts, identityProviders } = options;
  const { account } = getSignedInUser(ctx);
  const identities = await accounts.listIdentities(account.id);
  parts.render(ctx, parts.pages.renderIdentities, {
    shell: parts.shellOf(ctx),
    form: identities.length > 0 ? { action: identityPaths.list, csrf: parts.forms.tokenFor(ctx) } : undefined,
    identities: identities.map((each) => toLinked(each, identityProviders)),
    providers: identityProviders.map(({ id, name, logoPath: logo }) => ({
      id,
      name,
      logo,
      href: `${identityPaths.link}/${id}`,
    })),
    notice: parts.flash.take(ctx),
  });
}

function toLinked(identity: Identity, providers: readonly IdentityProvider[]): LinkedIdentity {
  const { id, issuer, providerId, label, linkedAt, lastUsedAt } = identity;
  const provider = providers.find((each) => each.issuer === issuer);
  return {
    id,
    provider: provider?.name ?? providerId,
    logo: provider?.logoPath,
    label: label ?? undefined,
    linkedAt,
    lastUsedAt: lastUsedAt ?? undefined,
  };
}

async function beginLink(ctx: Context, options: UpstreamOptions): Promise<void> {
  const linkTo = getSignedInUser(ctx).account.id;
  const flow = { returnTo: identityPaths.list, isAgain: false, linkTo };
  await beginUpstream(options, ctx, getProvider(options, ctx), flow);
}

/** Shows which identity would be linked, because another site could have begun the sign-in (CSRF). */
async function showLink(
  ctx: Context,
  { parts, pendingLinks, identityProviders }: UpstreamOptions,
): Promise<void> {
  const id = asString(ctx.query.link) ?? '';
  const pending = pendingLinks.read(ctx, id);
  const provider = identityProviders.find(({ id }) => id === pending?.providerId);
  if (!provider || pending?.accountId !== getSignedInUser(ctx).account.id)
    return parts.redirect(ctx, identityPaths.list);
  parts.render(ctx, parts.pages.renderLinkIdentity, {
    shell: parts.shellOf(ctx),
    form: { action: confirmPathOf(id), csrf: parts.forms.tokenFor(ctx) },
    provider: provider.name,
    label: pending.user.label ?? undefined,
    links: { cancel: identityPaths.list },
  });
}

async function confirmLink(ctx: Context, options: UpstreamOptions): Promise<void> {
  const { parts, accounts, pendingLinks, identityProviders } = options;
  await parts.forms.read(ctx);
  const pending = pendingLinks.take(ctx, asString(ctx.query.link) ?? '');
  const provider = identityProviders.find(({ id }) => id === pending?.providerId);
  const { account } = getSignedInUser(ctx);
  if (pending && provider && pending.accountId === account.id) {
    const user = {
      ...pending.user,
      email: pending.user.email,
      profile: {},
      role: undefined,
      methods: [],
      authTime: undefined,
      sid: undefined,
    };
    const outcome = await accounts.linkIdentity({ provider, user }, account, originOf(ctx));
    parts.flash.set(ctx, { code: outcomes[outcome], values: { provider: provider.name } });
  }
  parts.redirect(ctx, identityPaths.list);
}

async function unlink(ctx: Context, { parts, accounts, identityProviders }: UpstreamOptions): Promise<void> {
  const form = await parts.forms.read(ctx);
  const { account } = getSignedInUser(ctx);
  const identityId = form.get('identity') ?? '';
  const identity = (await accounts.listIdentities(account.id)).find(({ id }) => id === identityId);
  if (identity) {
    const outcome = await accounts.unlinkIdentity({ accountId: account.id, identityId }, originOf(ctx));
    const { provider } = toLinked(identity, identityProviders);
    const isLast = outcome === 'last';
    parts.flash.set(
      ctx,
      isLast ? { code: 'provider_last' } : { code: 'identity_unlinked', values: { provider } },
    );
  }
  parts.redirect(ctx, identityPaths.list);
}
