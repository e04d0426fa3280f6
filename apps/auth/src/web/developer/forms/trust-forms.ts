import { AppError } from '@keydesk/server';
import type Router from '@koa/router';
import type { Context } from 'koa';
import { findProposalFaults, type TrustProposal } from '../../../clients/trust/trust-request.ts';
import { roles } from '../../../values/scopes.ts';
import { toRateLimitProblem } from '../../kit/forms/credentials-form.ts';
import { writeApplication } from '../pages/application-pages.ts';
import { pathsOf } from '../portal/paths.ts';
import { idOf, isConflict, type PortalOptions } from '../portal/portal-options.ts';
import { type TrustProblem, toTrustProblem } from '../views/trust-views.ts';

const kinds = ['role', 'verification'] as const;

/** Adds the forms that request a role or verification on the page of the application. */
export function addTrustForms(router: Router, options: PortalOptions): void {
  const { parts, applicationsOf } = options;
  const { requestTrust, withdrawTrust } = pathsOf(':id');

  router.post(requestTrust(':kind'), async function requestTrust(ctx) {
    const proposal = toProposal(ctx, await parts.forms.read(ctx));
    const id = idOf(ctx);
    const faults = findProposalFaults(await applicationsOf(ctx).get(id), proposal);
    const reject = (status: number, problems: readonly TrustProblem[]) => {
      ctx.status = status;
      return writeApplication(ctx, options, { problems, trust: { ...proposal, problems } });
    };
    if (faults.length > 0)
      return reject(
        400,
        faults.map((fault) => toTrustProblem(proposal.kind, fault)),
      );
    try {
      await applicationsOf(ctx).requestTrust(id, proposal);
    } catch (err) {
      if (!isConflict(err)) return reject(429, [toRateLimitProblem(err)]);
      parts.flash.set(ctx, { code: 'trust_changed' });
      return parts.redirect(ctx, pathsOf(id).show);
    }
    parts.flash.set(ctx, { code: 'trust_requested' });
    parts.redirect(ctx, pathsOf(id).show);
  });

  router.post(withdrawTrust(':requestId'), async function withdrawTrustRequest(ctx) {
    await parts.forms.read(ctx);
    const id = idOf(ctx);
    const code = await withdraw(ctx, options);
    parts.flash.set(ctx, { code });
    parts.redirect(ctx, pathsOf(id).show);
  });
}

async function withdraw(ctx: Context, { applicationsOf }: PortalOptions) {
  try {
    await applicationsOf(ctx).withdrawTrustRequest(idOf(ctx), String(ctx.params.requestId));
    return 'trust_withdrawn' as const;
  } catch (err) {
    if (!isConflict(err)) throw err;
    return 'trust_changed' as const;
  }
}

/** Reads a proposal; converts line breaks of the text area to spaces. */
function toProposal(ctx: Context, form: URLSearchParams): TrustProposal {
  const kind = kinds.find((each) => each === ctx.params.kind);
  if (!kind) throw new AppError('not_found', 'Unknown kind of trust request; use role or verification.');
  const reason = (form.get(`${kind}_reason`) ?? '').replaceAll(/\s+/g, ' ').trim();
  return { kind, role: roles.find((role) => role === form.get('trust_role')) ?? null, reason };
}
