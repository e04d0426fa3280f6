import type Router from '@koa/router';
import type { Context } from 'koa';
import type Provider from 'oidc-provider';
import { countUnused } from '../../../accounts/factors/recovery-codes.ts';
import type { SetUpTotpView } from '../../../pages/views/factors.ts';
import { paths } from '../../kit/account-paths.ts';
import { originOf } from '../../kit/origin.ts';
import {
  getSignedInUser,
  openSession,
  requireFreshAuthentication,
  requireSignedIn,
} from '../../kit/signed-in.ts';
import { offerTo, readSetUp, toSetUpProblem } from '../../second-factor/set-up-step.ts';
import type { AccountPagesOptions } from '../profile/account-pages-options.ts';

/** From this number of unused recovery codes on, the page asks for new ones. */
const FEW_CODES = 3;

/** Adds the pages on which users manage their second factor. Changes require a fresh authentication. */
export function addTwoStepPages(router: Router, provider: Provider, options: AccountPagesOptions): void {
  addOverview(router, provider, options);
  addChangeForms(router, provider, options);
  addSetUpPage(router, provider, options);
}

function addOverview(router: Router, provider: Provider, { parts, accounts }: AccountPagesOptions): void {
  router.get(paths.twoStep, requireSignedIn(provider, parts), async function showTwoStep(ctx) {
    const { account } = getSignedInUser(ctx);
    const form = { action: paths.twoStep, csrf: parts.forms.tokenFor(ctx) };
    const { totp, recoveryCodes } = await accounts.factorChanges.find(account.id);
    const unusedCodes = countUnused(recoveryCodes);
    parts.render(ctx, parts.pages.renderTwoStep, {
      shell: parts.shellOf(ctx),
      totp: totp
        ? { since: totp.createdAt, unusedCodes, hasFewCodes: unusedCodes <= FEW_CODES, form }
        : undefined,
      isRequired: accounts.factorChanges.isRequiredFor(account),
      notice: parts.flash.take(ctx),
      links: { setUp: paths.setUpTotp },
    });
  });
}

/** Adds the forms of the overview: new recovery codes, and the removal. */
function addChangeForms(router: Router, provider: Provider, { parts, accounts }: AccountPagesOptions): void {
  const signedIn = requireSignedIn(provider, parts);

  async function replaceCodes(ctx: Context, form: URLSearchParams): Promise<void> {
    if (!(await parts.forms.markUsed(form))) return redirectRepeated(ctx, { parts });
    const { account } = getSignedInUser(ctx);
    const codes = await accounts.factorChanges.replaceRecoveryCodes(account, originOf(ctx));
    const goOn = { href: paths.twoStep };
    const view = { shell: parts.shellOf(ctx), codes, email: account.email, goOn };
    parts.render(ctx, parts.pages.renderRecoveryCodes, view);
  }

  router.post(paths.twoStep, signedIn, requireFreshAuthentication, async function changeTwoStep(ctx) {
    const form = await parts.forms.read(ctx);
    if (form.get('change') !== 'remove') return replaceCodes(ctx, form);
    await accounts.factorChanges.removeTotp(getSignedInUser(ctx).account, originOf(ctx));
    parts.flash.set(ctx, { code: 'totp_removed' });
    parts.redirect(ctx, paths.twoStep);
  });

  router.post(`${paths.trustedDevices}/:deviceId/end`, signedIn, async function endTrust(ctx) {
    await parts.forms.read(ctx);
    const { deviceId = '' } = ctx.params;
    await accounts.factorChanges.distrustDevice(getSignedInUser(ctx).account.id, deviceId, originOf(ctx));
    parts.flash.set(ctx, { code: 'trust_ended' });
    parts.redirect(ctx, paths.sessions);
  });
}

/** Redirects to the overview, because the codes of a form are shown only once. */
function redirectRepeated(ctx: Context, { parts }: Pick<AccountPagesOptions, 'parts'>): void {
  parts.flash.set(ctx, { code: 'codes_repeated' });
  parts.redirect(ctx, paths.twoStep);
}

function addSetUpPage(router: Router, provider: Provider, options: AccountPagesOptions): void {
  const { parts, accounts } = options;
  const { factorChanges } = accounts;
  const signedIn = requireSignedIn(provider, parts);

  async function show(
    ctx: Context,
    rejected?: { sealed: string; problems: SetUpTotpView['form']['problems'] },
  ): Promise<void> {
    const { account } = getSignedInUser(ctx);
    const { totp } = await factorChanges.find(account.id);
    parts.render(ctx, parts.pages.renderSetUpTotp, {
      ...offerTo(account, factorChanges, rejected?.sealed),
      shell: parts.shellOf(ctx),
      form: { action: paths.setUpTotp, csrf: parts.forms.tokenFor(ctx), problems: rejected?.problems },
      purpose: totp ? 'replaced' : 'chosen',
      links: { cancel: paths.twoStep },
    });
  }

  router.get(paths.setUpTotp, signedIn, requireFreshAuthentication, function showSetUp(ctx) {
    return show(ctx);
  });

  router.post(paths.setUpTotp, signedIn, requireFreshAuthentication, async function setUpTotp(ctx) {
    const setUp = readSetUp(await parts.forms.read(ctx));
    const { account, session } = getSignedInUser(ctx);
    const codes = await factorChanges.setUpTotp(account, { ...setUp, replaces: true }, originOf(ctx));
    if (codes === 'repeated') return redirectRepeated(ctx, options);
    if (!codes) {
      ctx.status = 400;
      return show(ctx, { sealed: setUp.sealed, problems: [toSetUpProblem(setUp)] });
    }
    // The code was right, so this session has the second factor; the other ones of the account do not.
    const methods = [...new Set([...(session.amr ?? []), 'otp', 'mfa'])];
    await openSession(provider, ctx, { account, methods, loginTs: session.loginTs ?? 0 });
    const view = { shell: parts.shellOf(ctx), codes, email: account.email, goOn: { href: paths.twoStep } };
    parts.render(ctx, parts.pages.renderRecoveryCodes, view);
  });
}
