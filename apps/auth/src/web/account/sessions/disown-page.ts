import type Router from '@koa/router';
import { paths } from '../../kit/account-paths.ts';
import { asString } from '../../kit/interaction.ts';
import { originOf } from '../../kit/origin.ts';
import { presentationOf } from '../../kit/presentation.ts';
import type { AccountPagesOptions } from '../profile/account-pages-options.ts';

/**
 * Adds the page that the mails about a sign-in and about another address open. Only its form ends the sessions and
 * restores the address, because mail scanners open every link. It requires no sign-in, because an attacker may have
 * locked the owner out.
 */
export function addDisownPage(router: Router, { parts, accounts }: AccountPagesOptions): void {
  router.get(paths.disownSignIn, async function showDisownSignIn(ctx) {
    const token = asString(ctx.query.token) ?? '';
    const { email, isAddressChanged } = await accounts.inspectDisowning(token);
    const form = { action: paths.disownSignIn, csrf: parts.publicForms.tokenFor(ctx) };
    parts.render(ctx, parts.pages.renderDisownSignIn, { form, email, isAddressChanged, token });
  });

  router.post(paths.disownSignIn, async function disownSignIn(ctx) {
    const form = await parts.publicForms.read(ctx);
    const disowning = { token: form.get('token') ?? '', locale: presentationOf(ctx).language };
    const { email, isAddressChanged } = await accounts.disownSignIn(disowning, originOf(ctx));
    parts.pendingMails.set(ctx, { purpose: 'password_reset', email });
    parts.flash.set(ctx, { code: isAddressChanged ? 'email_restored' : 'sign_in_disowned' });
    parts.redirect(ctx, paths.checkMail);
  });
}
