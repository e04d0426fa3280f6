import type Router from '@koa/router';
import type { Context } from 'koa';
import type Provider from 'oidc-provider';
import type { Passkey } from '../../../accounts/factors/factors.ts';
import type { PasskeySummary } from '../../../pages/views/passkeys.ts';
import { sessionIdOf } from '../../../provider/log-out/account-sessions.ts';
import { paths } from '../../kit/account-paths.ts';
import { type RejectedForm, submitForm } from '../../kit/forms/form-problems.ts';
import { originOf } from '../../kit/origin.ts';
import { getSignedInUser, requireFreshAuthentication, requireSignedIn } from '../../kit/signed-in.ts';
import type { AccountPagesOptions } from '../profile/account-pages-options.ts';

const required = { passkey_name: { code: 'name_missing' } } as const;

type Rejected = RejectedForm<'passkey_name'>;

/** Adds the pages on which users manage their passkeys. Changes require a fresh authentication. */
export function addPasskeyPages(router: Router, provider: Provider, options: AccountPagesOptions): void {
  addPasskeyList(router, provider, options);
  addNewPasskeyPage(router, provider, options);
  addPasskeyPage(router, provider, options);
  addRelatedOrigins(router, options);
}

/** Adds the list of the origins whose pages may use the passkeys of this domain (WebAuthn Level 3 §5.11.1). */
function addRelatedOrigins(router: Router, { accounts }: AccountPagesOptions): void {
  router.get(paths.wellKnownWebauthn, async function listRelatedOrigins(ctx, next) {
    if (!accounts.arePasskeysAvailable) return void (await next());
    ctx.body = { origins: accounts.passkeyOrigins };
  });
}

function addPasskeyList(router: Router, provider: Provider, { parts, accounts }: AccountPagesOptions): void {
  router.get(paths.passkeys, requireSignedIn(provider, parts), async function showPasskeys(ctx) {
    const { account } = getSignedInUser(ctx);
    parts.render(ctx, parts.pages.renderPasskeys, {
      shell: parts.shellOf(ctx),
      passkeys: (await accounts.listPasskeys(account.id)).map(toSummary),
      isAvailable: accounts.arePasskeysAvailable,
      notice: parts.flash.take(ctx),
      links: account.emailVerified
        ? { add: accounts.arePasskeysAvailable ? paths.newPasskey : undefined }
        : { verifyEmail: paths.verification },
    });
  });
}

/** Adds the page that creates a passkey. It needs JavaScript, because WebAuthn does. */
function addNewPasskeyPage(router: Router, provider: Provider, options: AccountPagesOptions): void {
  const { parts, accounts } = options;
  const { passwordMinLength } = options.settings;
  const signedIn = requireSignedIn(provider, parts);

  async function show(ctx: Context, name?: string, rejected?: Rejected): Promise<void> {
    const { account } = getSignedInUser(ctx);
    const csrf = parts.forms.tokenFor(ctx);
    const creation = account.emailVerified ? await accounts.offerPasskey(account, csrf) : undefined;
    if (creation === undefined) return parts.redirect(ctx, paths.passkeys);
    parts.render(ctx, parts.pages.renderNewPasskey, {
      shell: parts.shellOf(ctx),
      form: { action: paths.newPasskey, csrf, problems: rejected?.problems },
      name,
      options: creation,
      links: { passkeys: paths.passkeys },
    });
  }

  router.get(paths.newPasskey, signedIn, requireFreshAuthentication, function showNewPasskey(ctx) {
    return show(ctx);
  });

  router.post(paths.newPasskey, signedIn, requireFreshAuthentication, async function addPasskey(ctx) {
    const form = await parts.forms.read(ctx);
    const textOf = (field: string) => form.get(field) ?? '';
    const name = textOf('passkey_name');
    const [response, formToken] = [textOf('passkey'), textOf('csrf')];
    const addition = { owner: getSignedInUser(ctx).account, name, response, formToken };
    const action = async () => {
      const added = await accounts.addPasskey(addition, originOf(ctx));
      parts.flash.set(ctx, { code: 'passkey_added', values: { name: added.name } });
    };
    const rejected = await submitForm({ form, required, passwordMinLength, action });
    if (!rejected) return parts.redirect(ctx, paths.passkeys);
    ctx.status = rejected.status;
    return show(ctx, name, rejected);
  });
}

/** Adds the page that renames or removes a passkey. */
function addPasskeyPage(router: Router, provider: Provider, options: AccountPagesOptions): void {
  const { parts, accounts } = options;
  const { passwordMinLength } = options.settings;
  const signedIn = requireSignedIn(provider, parts);
  const path = `${paths.passkeys}/:id`;

  async function show(ctx: Context, name?: string, rejected?: Rejected): Promise<void> {
    const { account } = getSignedInUser(ctx);
    const passkey = await accounts.getPasskey(account.id, String(ctx.params.id));
    const isLast = await accounts.isLastWayToSignIn({ accountId: account.id, id: passkey.id });
    parts.render(ctx, parts.pages.renderPasskey, {
      shell: parts.shellOf(ctx),
      form: { action: pathOf(passkey), csrf: parts.forms.tokenFor(ctx), problems: rejected?.problems },
      name: name ?? passkey.name,
      links: { passkeys: paths.passkeys, choosePassword: isLast ? paths.forgotPassword : undefined },
    });
  }

  async function rename(ctx: Context, form: URLSearchParams): Promise<Rejected | undefined> {
    const { account } = getSignedInUser(ctx);
    const name = form.get('passkey_name') ?? '';
    const renamed = { accountId: account.id, id: String(ctx.params.id), name };
    const action = () => accounts.renamePasskey(renamed, originOf(ctx));
    const rejected = await submitForm({ form, required, passwordMinLength, action });
    if (!rejected) parts.flash.set(ctx, { code: 'passkey_renamed' });
    return rejected;
  }

  async function endOtherSessions(ctx: Context): Promise<void> {
    const { account, session } = getSignedInUser(ctx);
    const kept = { accountId: account.id, sessionId: sessionIdOf(session.uid) };
    await accounts.endOtherSessions(kept, originOf(ctx));
  }

  /** Removes the passkey, and ends all other sessions if the user chooses so (OWASP ASVS 5.0 §7.4.3). */
  async function remove(ctx: Context, form: URLSearchParams): Promise<Rejected | undefined> {
    const { account } = getSignedInUser(ctx);
    const { id, name } = await accounts.getPasskey(account.id, String(ctx.params.id));
    const action = () => accounts.removePasskey({ accountId: account.id, id }, originOf(ctx));
    const rejected = await submitForm<never>({ form, required: {}, passwordMinLength, action });
    if (rejected) return rejected;
    const isEverywhere = form.has('end_sessions');
    if (isEverywhere) await endOtherSessions(ctx);
    const code = isEverywhere ? 'passkey_removed_everywhere' : 'passkey_removed';
    parts.flash.set(ctx, { code, values: { name } });
    return undefined;
  }

  router.get(path, signedIn, requireFreshAuthentication, function showPasskey(ctx) {
    return show(ctx);
  });

  router.post(path, signedIn, requireFreshAuthentication, async function changePasskey(ctx) {
    const form = await parts.forms.read(ctx);
    const rejected = await (form.get('change') === 'remove' ? remove : rename)(ctx, form);
    if (!rejected) return parts.redirect(ctx, paths.passkeys);
    ctx.status = rejected.status;
    return show(ctx, form.get('passkey_name') ?? undefined, rejected);
  });
}

function toSummary(passkey: Passkey): PasskeySummary {
  const { name, createdAt, lastUsedAt, isSynced } = passkey;
  return {
    name,
    createdAt,
    lastUsedAt: lastUsedAt ?? undefined,
    isSynced,
    links: { change: pathOf(passkey) },
  };
}

function pathOf({ id }: Passkey): string {
  return `${paths.passkeys}/${id}`;
}
