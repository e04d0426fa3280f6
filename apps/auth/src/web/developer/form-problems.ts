import { type ClientFault, MAX_NAME_LENGTH, MAX_REDIRECT_URIS } from '../../clients/client-faults.ts';
import type { Coded } from '../../pages/messages.ts';
import type { ApplicationFormView } from '../../pages/views/applications.ts';

/** A problem of the form that registers or edits an application. */
export type FormProblem = NonNullable<ApplicationFormView['form']['problems']>[number];

type FormField = NonNullable<FormProblem['field']>;

const fields: Readonly<Record<string, FormField>> = {
  name: 'name',
  home_page: 'home_page',
  policy_uri: 'policy_uri',
  tos_uri: 'tos_uri',
  scope: 'scopes',
  redirect_uri: 'redirect_uris',
  post_logout_redirect_uri: 'post_logout_redirect_uris',
  backchannel_logout_uri: 'backchannel_logout_uri',
  initiate_login_uri: 'initiate_login_uri',
  auth_method: 'jwks',
};

/** Fields in their order on the page. */
const fieldOrder: readonly (FormField | undefined)[] = [
  undefined,
  'type',
  'name',
  'home_page',
  'policy_uri',
  'tos_uri',
  'redirect_uris',
  'post_logout_redirect_uris',
  'scopes',
  'backchannel_logout_uri',
  'initiate_login_uri',
  'authorization_signed_response_alg',
  'jwks',
];

/** Sorts problems by the order of their fields, so that the first problem belongs to the first invalid field. */
export function sortProblems(problems: readonly FormProblem[]): readonly FormProblem[] {
  return problems.toSorted((a, b) => fieldOrder.indexOf(a.field) - fieldOrder.indexOf(b.field));
}

/** Problem codes of unsuitable settings, by the field of the fault. */
const unsuitable: Readonly<Record<string, 'jwks_unsuitable' | 'jwks_not_fapi' | 'redirect_uri_not_fapi'>> = {
  auth_method: 'jwks_unsuitable',
  // The portal omits both fields for types without them, so only a FAPI 2.0 requirement can make them unsuitable.
  jwks: 'jwks_not_fapi',
  redirect_uri: 'redirect_uri_not_fapi',
};

/** Converts a fault of a client to a problem with a message of the page. */
export function toProblem(fault: ClientFault): FormProblem {
  return { field: fault.field.startsWith('jwks') ? 'jwks' : fields[fault.field], ...messageOf(fault) };
}

function messageOf({ field, code, value = '' }: ClientFault): Coded<'problem'> {
  switch (code) {
    case 'name_missing':
    case 'name_invalid':
    case 'home_page_invalid':
    case 'policy_uri_invalid':
    case 'tos_uri_invalid':
    case 'redirect_uri_missing':
      return { code };
    case 'name_too_long':
      return { code, values: { max: MAX_NAME_LENGTH } };
    case 'scope_not_allowed':
      return { code, values: { scope: value } };
    case 'redirect_uris_too_many':
      return { code, values: { max: MAX_REDIRECT_URIS } };
    case 'redirect_uri_invalid':
    case 'redirect_uri_wildcard':
    case 'redirect_uri_fragment':
    case 'redirect_uri_not_https':
    case 'redirect_uri_scheme':
      return { code, values: { uri: value } };
    case 'invalid_key':
      return { code: 'jwks_invalid', values: { place: field } };
    case 'unsuitable':
      return { code: unsuitable[field] ?? 'unsuitable' };
    default:
      throw new Error(`No message exists for the fault ${code} of ${field}.`);
  }
}
