import { maySignIn } from '../accounts/account/credential-epoch.ts';
import { isLoggedOutUpstream } from '../artifacts/upstream-log-outs.ts';
import { isHttps } from '../config.ts';
import { createOutboundFetch } from '../outbound/outbound-fetch.ts';
import { cookieName } from '../provider/cookies.ts';
import type { UpstreamStepOptions } from '../web/interaction/upstream-step.ts';
import { createSealedCookies } from '../web/kit/cookies/sealed-cookies.ts';
import type { PageParts } from '../web/kit/page-parts.ts';
import type { SignInCompletion } from '../web/second-factor/sign-in-completion.ts';
import type { UpstreamLogOutOptions } from '../web/upstream/log-out-routes.ts';
import { createLogOutTokens, type LogOutTokens } from '../web/upstream/log-out-tokens.ts';
import { createUpstreamClient, REQUEST_TTL_SECONDS } from '../web/upstream/upstream-client.ts';
import type {
  PendingLink,
  UpstreamFlow,
  UpstreamOptions,
  UpstreamResult,
} from '../web/upstream/upstream-routes.ts';
import type { AccountServices } from './accounts.ts';
import type { SharedDeps } from './shared-deps.ts';

/** Time between two redirects of the browser. */
const RESULT_TTL_SECONDS = 60;

/** Creates the client of the identity providers and what browsers keep of a sign-in there. */
export function createUpstream({ config, derived, now }: SharedDeps): Pick<
  UpstreamOptions,
  'client' | 'flows' | 'results' | 'pendingLinks'
> & {
  logOutTokens: LogOutTokens;
} {
  const name = (cookie: string) => cookieName(cookie, isHttps(config.issuer));
  // The operator names the providers, which may be on a private network. Limits of time and size still apply.
  const fetchOutbound = createOutboundFetch({ allowsPrivateAddresses: true });
  const shared = { sealer: derived.upstream, now };
  const client = createUpstreamClient({
    fetch: (url, init) => fetchOutbound(url, { ...init, body: init.body ?? null }),
    now,
  });
  return {
    client,
    logOutTokens: createLogOutTokens({ fetch: fetchOutbound, findJwksUri: client.findJwksUri, now }),
    flows: createSealedCookies<UpstreamFlow>({
      ...shared,
      name: name('upstream'),
      ttlSeconds: REQUEST_TTL_SECONDS,
    }),
    pendingLinks: createSealedCookies<PendingLink>({
      ...shared,
      name: name('upstream-link'),
      ttlSeconds: REQUEST_TTL_SECONDS,
    }),
    results: createSealedCookies<UpstreamResult>({
      ...shared,
      name: name('upstream-result'),
      ttlSeconds: RESULT_TTL_SECONDS,
    }),
  };
}

/** Creates the function that takes the result of a sign-in for an interaction. */
export function createResultReader(
  { storage, now }: Pick<SharedDeps, 'storage' | 'now'>,
  { results }: Pick<UpstreamOptions, 'results'>,
): UpstreamStepOptions['takeResult'] {
  return async function takeResult(ctx, interaction) {
    const result = results.take(ctx, `/interaction/${interaction.uid}`);
    if (!result) return undefined;
    const { accountId, credentialEpoch, methods, loginTs, upstream, isAgain } = result;
    if (upstream && (await isLoggedOutUpstream(storage.artifacts, upstream, now()))) return undefined;
    const account = await storage.accounts.find(accountId);
    if (!maySignIn(account) || account.credentialEpoch !== credentialEpoch) return undefined;
    return { account, methods, loginTs, upstream, isAgain };
  };
}

/** Creates the dependencies of the pages of the sign-in at providers. */
export function createUpstreamPages(
  { config, storage, now }: SharedDeps,
  { accounts }: Pick<AccountServices, 'accounts'>,
  { pageParts, completion, credentials, upstream }: UpstreamPageDeps,
): UpstreamOptions & UpstreamLogOutOptions {
  return {
    ...upstream,
    issuer: config.issuer,
    identityProviders: config.identityProviders,
    parts: pageParts,
    accounts,
    artifacts: storage.artifacts,
    completion,
    credentials,
    now,
  };
}

interface UpstreamPageDeps {
  pageParts: PageParts;
  completion: SignInCompletion;
  credentials: UpstreamOptions['credentials'];
  upstream: ReturnType<typeof createUpstream>;
}
