import type { Client, ErrorOut, KoaContextWithOIDC } from 'oidc-provider';
import type { Pages } from '../../pages/pages.ts';
import type { ApplicationSummary } from '../../pages/views/application.ts';
import type { DeviceCodeView } from '../../pages/views/consent.ts';
import { isVerified, logoOf } from '../../provider/clients/client-metadata.ts';
import { type DeviceOrigin, readDeviceOrigin } from '../../provider/grants/device-flow.ts';
import type { DevicePages } from '../../provider/provider-pages.ts';
import { routes } from '../../provider/routes.ts';
import type { FindErrorActions } from '../kit/error-pages.ts';
import { statusOf, toErrorView } from '../kit/error-pages.ts';
import { setPageHeaders } from '../kit/page-headers.ts';
import { languageLinksOf, presentationOf } from '../kit/presentation.ts';

type Problem = NonNullable<DeviceCodeView['form']['problems']>[number];

/** Problems to show for a rejected user code, by the class name of oidc-provider's error. */
const problems: Readonly<Record<string, Problem>> = {
  NoCodeError: { field: 'user_code', code: 'user_code_missing' },
  NotFoundError: { field: 'user_code', code: 'user_code_unknown' },
  ExpiredError: { field: 'user_code', code: 'user_code_expired' },
  AlreadyUsedError: { field: 'user_code', code: 'user_code_used' },
  // The form has an invalid token, or its session has ended.
  InvalidRequest: { code: 'form_expired' },
};

export function createDevicePages(pages: Pages, findErrorActions: FindErrorActions): DevicePages {
  const action = routes.device;
  const xsrfOf = ({ oidc }: KoaContextWithOIDC) => String(oidc.session?.state?.secret);

  async function renderDenied(ctx: KoaContextWithOIDC): Promise<void> {
    const { provider, client, deviceCode } = ctx.oidc;
    const asking = client ?? (await provider.Client.find(deviceCode?.clientId ?? ''));
    const application = { name: asking ? nameOf(asking) : '' };
    ctx.body = pages.renderDeviceResult({ outcome: 'denied', application }, presentationOf(ctx));
  }

  async function renderFailure(
    ctx: KoaContextWithOIDC,
    out: ErrorOut | undefined,
    err: Error,
  ): Promise<void> {
    ctx.status = statusOf(err);
    const oauth = out && { error: out.error, description: out.error_description };
    const view = toErrorView(err, ctx.state.requestId, oauth);
    const actions = await findErrorActions(ctx, view.variant);
    ctx.body = pages.renderError({ ...view, actions }, presentationOf(ctx));
  }

  return {
    async renderCodeInput(ctx, _form, out, err) {
      setPageHeaders(ctx);
      const name = err?.constructor.name ?? '';
      const problem = problems[name];
      ctx.state.isWrongUserCode = problem !== undefined;
      if (name === 'AbortedError') return renderDenied(ctx);
      if (err && !problem) return renderFailure(ctx, out, err);
      if (problem) ctx.status = 400;
      const form = { action, xsrf: xsrfOf(ctx), problems: problem && [problem] };
      const typed = ctx.oidc.params?.user_code ?? ctx.state.userCode;
      const view = { form, userCode: typed === undefined ? undefined : String(typed) };
      const presentation = { ...presentationOf(ctx), languageLinks: languageLinksWith(view.userCode) };
      ctx.body = pages.renderDeviceCode(view, presentation);
    },
    renderConfirmation(ctx, _form, client, origin, userCode) {
      setPageHeaders(ctx);
      const { scope, ui_locales } = ctx.oidc.deviceCode?.params ?? {};
      const view = {
        form: { action, xsrf: xsrfOf(ctx) },
        application: toSummary(client),
        userCode,
        scopes: typeof scope === 'string' ? scope.split(' ') : [],
        from: readDeviceOrigin(origin as DeviceOrigin),
      };
      ctx.body = pages.renderDeviceConfirm(view, presentationOf(ctx, ui_locales));
    },
    renderConnected(ctx) {
      setPageHeaders(ctx);
      const application = { name: ctx.oidc.client ? nameOf(ctx.oidc.client) : '' };
      ctx.body = pages.renderDeviceResult({ outcome: 'connected', application }, presentationOf(ctx));
    },
  };
}

/** Keeps a user code from the URL in the language links. */
function languageLinksWith(userCode: string | undefined) {
  const query = userCode === undefined ? '' : new URLSearchParams({ user_code: userCode });
  return languageLinksOf(routes.device, String(query));
}

function toSummary(client: Client): ApplicationSummary {
  const { clientUri: homePage, policyUri, tosUri } = client;
  const [name, logo] = [nameOf(client), logoOf(client)];
  return { name, logo, isVerified: isVerified(client), homePage, policyUri, tosUri };
}

function nameOf({ clientName, clientId }: Client): string {
  return clientName ?? clientId;
}
