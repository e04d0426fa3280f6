import type { FieldError } from '@keydesk/http';
import type { TrustRequestKind } from '../clients/client.ts';
import { MAX_REASON_LENGTH, requestableKindsOf, type TrustProposal } from '../clients/trust-request.ts';
import type { TrustView } from '../pages/views/applications.ts';
import type { Application } from './applications.ts';
import { pathsOf } from './paths.ts';

export type TrustProblem = NonNullable<TrustView['form']['problems']>[number];

/** A form as it was posted, with what is wrong with it. */
export type PostedTrust = TrustProposal & { problems: readonly TrustProblem[] };

/** Kinds of trust that an application can be granted, each with the last request for it. */
export function toTrustViews(
  application: Application,
  csrf: string,
  posted?: PostedTrust,
): readonly TrustView[] {
  const paths = pathsOf(application.id);
  return requestableKindsOf(application).map((kind) => {
    const request = application.trustRequests[kind];
    const typed = posted?.kind === kind ? posted : undefined;
    return {
      kind,
      form: {
        action: request?.status === 'pending' ? paths.withdrawTrust(request.id) : paths.requestTrust(kind),
        csrf,
        problems: typed?.problems,
      },
      values: { role: typed?.role ?? undefined, reason: typed?.reason },
      request: request ?? undefined,
    };
  });
}

/** A fault of a request as the page has words for it. */
export function toTrustProblem(kind: TrustRequestKind, { code }: FieldError): TrustProblem {
  const field = `${kind}_reason` as const;
  switch (code) {
    case 'role_missing':
    case 'role_same':
      return { field: 'trust_role', code };
    case 'reason_missing':
    case 'reason_invalid':
      return { field, code };
    case 'reason_too_long':
      return { field, code, values: { max: MAX_REASON_LENGTH } };
    default:
      return { code: 'changed_meanwhile' };
  }
}
