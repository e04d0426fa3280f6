import { readFileSync } from 'node:fs';
import { type Asset, createAsset } from './asset.ts';
import { type BrandSettings, createBrand } from './brand.ts';
import { createRenderer, type RenderPage } from './render.ts';
import { createSnippets, type Snippet } from './snippets/snippets.ts';
import type * as account from './views/account.ts';
import type * as applications from './views/applications.ts';
import type * as consent from './views/consent.ts';
import type { ErrorView } from './views/error.ts';
import type * as factors from './views/factors.ts';
import type * as leaving from './views/leaving.ts';
import type * as owners from './views/owners.ts';
import type * as passkeys from './views/passkeys.ts';
import type * as providers from './views/providers.ts';
import type * as response from './views/response.ts';
import type { DisownSignInView, SessionsView } from './views/sessions.ts';
import type * as signIn from './views/sign-in.ts';

/** Parts of the style sheet, in cascade order. */
const STYLES = [
  'base',
  'layout',
  'forms',
  'panels',
  'shell',
  'account',
  'factors',
  'developers',
  'providers',
];

/** Scripts by the name that templates use. All are optional enhancements. */
const SCRIPTS = ['copy', 'passkeys', 'passwords'];

/**
 * Creates the pages of the authorization server and their static files. They work without scripts, and they render
 * completely under the policy `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'`.
 *
 * @throws {Error} if the brand is invalid
 */
export function createPages(settings: { brand: BrandSettings; logos?: readonly Asset[] }) {
  const brand = createBrand(settings.brand);
  const styles = createAsset(STYLES.map((part) => read(`styles/${part}.css`)).join('\n'), 'css');
  const scripts = readScripts();
  const page = createRenderer({ brand, styleSheets: [styles, brand.styleSheet], scripts });
  const renderApplication = page<applications.ApplicationView & { snippets: readonly Snippet[] }>(
    'application',
  );

  return {
    /** Files to serve, each at its immutable path. */
    assets: [
      styles,
      brand.styleSheet,
      brand.icon,
      ...scripts.values(),
      ...(settings.logos ?? []),
    ] as readonly Asset[],

    renderSignIn: page<signIn.SignInView>('sign-in'),
    renderSignUp: page<signIn.SignUpView>('sign-up'),
    renderSignUpPasskey: page<signIn.SignUpPasskeyView>('sign-up-passkey'),
    renderCheckMail: page<signIn.CheckMailView>('check-mail'),
    renderVerifyEmail: page<signIn.VerifyEmailView>('verify-email'),
    renderEmailVerified: page<signIn.EmailVerifiedView>('email-verified'),
    renderForgotPassword: page<signIn.ForgotPasswordView>('forgot-password'),
    renderResetPassword: page<signIn.ResetPasswordView>('reset-password'),

    ...createFactorPages(page),

    renderConsent: page<consent.ConsentView>('consent'),
    renderDeviceCode: page<consent.DeviceCodeView>('device-code'),
    renderDeviceConfirm: page<consent.DeviceConfirmView>('device-confirm'),
    renderDeviceResult: page<consent.DeviceResultView>('device-result'),
    renderSignOut: page<consent.SignOutView>('sign-out'),
    renderSignedOut: page<consent.SignedOutView>('signed-out'),

    renderFormPost: page<response.FormPostView>('form-post'),
    renderLeave: page<response.LeaveView>('leave'),

    ...createAccountPages(page),

    renderApplications: page<applications.ApplicationsView>('applications'),
    renderApplicationForm: page<applications.ApplicationFormView>('application-form'),
    renderApplication: ((view, presentation) =>
      renderApplication(
        { ...view, snippets: createSnippets(view.application, view.server) },
        presentation,
      )) satisfies RenderPage<applications.ApplicationView>,
    renderSecretShown: page<applications.SecretShownView>('secret-shown'),
    renderRemoveApplication: page<applications.RemoveApplicationView>('remove-application'),
    renderChangeOwners: page<owners.ChangeOwnersView>('change-owners'),
    renderInvitation: page<owners.InvitationView>('invitation'),

    renderIdentities: page<providers.IdentitiesView>('identities'),
    renderLinkIdentity: page<providers.LinkIdentityView>('link-identity'),

    renderError: page<ErrorView>('error'),
  };
}

function createFactorPages(page: ReturnType<typeof createRenderer>) {
  return {
    renderSecondFactor: page<factors.SecondFactorView>('second-factor'),
    renderPasskeyNeeded: page<factors.PasskeyNeededView>('passkey-needed'),
    renderSetUpTotp: page<factors.SetUpTotpView>('set-up-totp'),
    renderTwoStep: page<factors.TwoStepView>('two-step'),
    renderRecoveryCodes: page<factors.RecoveryCodesView>('recovery-codes'),
    renderPasskeys: page<passkeys.PasskeysView>('passkeys'),
    renderNewPasskey: page<passkeys.NewPasskeyView>('new-passkey'),
    renderPasskey: page<passkeys.PasskeyView>('passkey'),
  };
}

function createAccountPages(page: ReturnType<typeof createRenderer>) {
  return {
    renderAccount: page<account.AccountView>('account'),
    renderChangeName: page<account.ChangeNameView>('change-name'),
    renderChangePassword: page<account.ChangePasswordView>('change-password'),
    renderChangeEmail: page<account.ChangeEmailView>('change-email'),
    renderConnectedApplications: page<account.ConnectedApplicationsView>('connected-applications'),
    renderSessions: page<SessionsView>('sessions'),
    renderDisownSignIn: page<DisownSignInView>('disown-sign-in'),

    renderDownloadData: page<leaving.DownloadDataView>('download-data'),
    renderRemovePassword: page<account.RemovePasswordView>('remove-password'),
    renderDeleteAccount: page<leaving.DeleteAccountView>('delete-account'),
    renderKeepAccount: page<leaving.KeepAccountView>('keep-account'),
  };
}

export type Pages = ReturnType<typeof createPages>;

function read(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8');
}

/** Reads the scripts by name. `webauthn` is the browser's part of WebAuthn; it defines `SimpleWebAuthnBrowser`. */
function readScripts(): ReadonlyMap<string, Asset> {
  const entry = import.meta.resolve('@simplewebauthn/browser');
  const webauthn = readFileSync(new URL('../dist/bundle/index.umd.min.js', entry), 'utf8');
  return new Map([
    ...SCRIPTS.map((name) => [name, createAsset(read(`scripts/${name}.js`), 'js')] as const),
    ['webauthn', createAsset(webauthn, 'js')],
  ]);
}
