import type { FieldError } from '@keydesk/server';
import type { TrustRequestKind } from '../../../clients/client.ts';
import {
  listRequestableKinds,
  MAX_REASON_LENGTH,
  type TrustProposal,
} from '../../../clients/trust/trust-request.ts';
import type { TrustView } from '../../../pages/views/applications.ts';
import type { Application } from '../portal/applications.ts';
import { pathsOf } from '../portal/paths.ts';

export type TrustProblem = NonNullable<TrustView['form']['problems']>[number];

/** A posted form with its problems. */
export type PostedTrust = TrustProposal & { problems: readonly TrustProblem[] };

/** Builds the views of the kinds of trust that an application can request, each with its last request. */
export function toTrustViews(
  application: Application,
  csrf: string,
  posted?: PostedTrust,
): readonly TrustView[] {
  const paths = pathsOf(application.id);
  return listRequestableKinds(application).map((kind) => {
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

/** Converts a fault of a request to a problem with a message of the page. */
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
