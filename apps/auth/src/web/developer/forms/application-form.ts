import {
  type ApplicationType,
  applicationTypes,
  type Client,
  idTokenAlgorithms,
} from '../../../clients/client.ts';
import {
  type ClientFault,
  findFaults,
  MAX_NAME_LENGTH,
  MAX_REDIRECT_URIS,
} from '../../../clients/client-faults.ts';
import { type ClientRequest, toRequest } from '../../../clients/client-rules.ts';
import { typeRules } from '../../../clients/client-types.ts';
import { isReservedScope, listRegistrableScopes } from '../../../clients/requestable-scopes.ts';
import type { Coded } from '../../../pages/messages.ts';
import type { ApplicationFormView } from '../../../pages/views/applications.ts';
import { apiScopes } from '../../../values/scopes.ts';

export type FormValues = ApplicationFormView['values'];

/** The submitted values of a form, with either its problems or the request that it makes. */
type ReadForm = { values: FormValues } & (
  | { problems: readonly FormProblem[]; request?: undefined }
  | { problems?: undefined; request: ClientRequest }
);

/** Reads the form that registers an application, or edits `edited`, whose type cannot change. */
export function readApplicationForm(form: URLSearchParams, edited?: Client): ReadForm {
  const type = edited?.type ?? applicationTypes.find((each) => each === form.get('type'));
  // The authentication method is fixed: an application with a secret gets no keys.
  const takesKeys = edited === undefined || edited.authMethod === 'private_key_jwt';
  const values = { ...toValues(form), ...(!takesKeys && { jwks: undefined }) };
  const faultsFor = (each: Client['type']) =>
    findFaults(
      { ...(edited && toRequest(edited)), ...requestOf(each, values, edited) },
      edited?.isVerified ?? false,
    );
  const problems = sortProblems([
    ...(type === undefined ? [{ field: 'type', code: 'type_missing' } as const] : []),
    ...(type === undefined ? commonFaultsOf(values, faultsFor) : faultsFor(type)).map(toProblem),
    ...(values.scopes.length === 0 ? [{ field: 'scopes', code: 'scopes_missing' } as const] : []),
    ...(isUnknownAlgorithm(values)
      ? [{ field: 'authorization_signed_response_alg', code: 'algorithm_unknown' } as const]
      : []),
  ]);
  if (type === undefined || problems.length > 0) return { values, problems };
  return { values, request: requestOf(type, values, edited) };
}

/** Lists the faults that all possible types share. Machine clients can't have redirect URIs, public clients no keys. */
function commonFaultsOf(values: FormValues, faultsFor: (type: ApplicationType) => readonly ClientFault[]) {
  const { redirectUris, postLogoutRedirectUris, policyUri, tosUri, backchannelLogoutUri, initiateLoginUri } =
    values;
  const userFacing = [
    ...[redirectUris, postLogoutRedirectUris, policyUri, tosUri],
    ...[backchannelLogoutUri, initiateLoginUri],
  ];
  const isForUsers = userFacing.some((text) => text?.trim());
  const hasKeys = Boolean(values.jwks?.trim());
  const [first = [], ...others] = applicationTypes
    .filter((type) => type !== 'machine' || !isForUsers)
    .filter((type) => typeRules[type].authMethods.includes('private_key_jwt') || !hasKeys)
    .map(faultsFor);
  const isSame = (a: ClientFault, b: ClientFault) => a.field === b.field && a.value === b.value;
  return first.filter((fault) => others.every((faults) => faults.some((other) => isSame(fault, other))));
}

/** Returns the form values of a registered application. */
export function valuesOf(client: Client & { type: ApplicationType }): FormValues {
  return {
    type: client.type,
    version: client.version,
    name: client.name,
    homePage: client.homePage ?? undefined,
    policyUri: client.policyUri ?? undefined,
    tosUri: client.tosUri ?? undefined,
    redirectUris: client.redirectUris.join('\n'),
    postLogoutRedirectUris: client.postLogoutRedirectUris.join('\n'),
    backchannelLogoutUri: client.backchannelLogoutUri ?? undefined,
    initiateLoginUri: client.initiateLoginUri ?? undefined,
    authorizationResponseAlgorithm: client.security.authorizationResponseAlgorithm,
    jwks: client.jwks === null ? undefined : JSON.stringify(client.jwks, null, 2),
    scopes: client.scopes,
  };
}

/** Lists the scopes that the form offers; reserved scopes only for verified applications. */
export function offeredScopesOf(isVerified: boolean): ApplicationFormView['offeredScopes'] {
  return listRegistrableScopes(typeRules.web)
    .filter((scope) => isVerified || !isReservedScope(scope))
    .map((name) => ({ name, isForMachines: apiScopes.some((scope) => scope === name) }));
}

function toValues(form: URLSearchParams): FormValues {
  return {
    type: applicationTypes.find((type) => type === form.get('type')),
    name: form.get('name') ?? '',
    homePage: form.get('home_page') ?? '',
    policyUri: form.get('policy_uri') ?? '',
    tosUri: form.get('tos_uri') ?? '',
    redirectUris: form.get('redirect_uris') ?? '',
    postLogoutRedirectUris: form.get('post_logout_redirect_uris') ?? '',
    backchannelLogoutUri: form.get('backchannel_logout_uri') ?? '',
    initiateLoginUri: form.get('initiate_login_uri') ?? '',
    authorizationResponseAlgorithm: form.get('authorization_signed_response_alg') ?? undefined,
    jwks: form.get('jwks') ?? undefined,
    scopes: form.getAll('scopes'),
  };
}

function requestOf(type: Client['type'], values: FormValues, edited?: Client): ClientRequest {
  const { name = '', redirectUris = '', postLogoutRedirectUris = '' } = values;
  // Ignores the user-facing fields of a machine client: the form hides them, but they may contain earlier input.
  const isMachine = type === 'machine';
  const forMachines: readonly string[] = apiScopes;
  return {
    type,
    name,
    homePage: values.homePage?.trim() || null,
    policyUri: (!isMachine && values.policyUri?.trim()) || null,
    tosUri: (!isMachine && values.tosUri?.trim()) || null,
    redirectUris: isMachine ? [] : toLines(redirectUris),
    postLogoutRedirectUris: isMachine ? [] : toLines(postLogoutRedirectUris),
    backchannelLogoutUri: (!isMachine && values.backchannelLogoutUri?.trim()) || null,
    initiateLoginUri: (!isMachine && values.initiateLoginUri?.trim()) || null,
    security: { ...edited?.security, ...(!isMachine && algorithmOf(values)) },
    ...(values.jwks !== undefined && { jwks: readJson(values.jwks) }),
    scopes: values.scopes.filter((scope) => !isMachine || forMachines.includes(scope)),
  };
}

function algorithmOf({ authorizationResponseAlgorithm: chosen }: FormValues) {
  const authorizationResponseAlgorithm = idTokenAlgorithms.find((each) => each === chosen);
  return authorizationResponseAlgorithm && { authorizationResponseAlgorithm };
}

function isUnknownAlgorithm(values: FormValues): boolean {
  return values.authorizationResponseAlgorithm !== undefined && !algorithmOf(values);
}

/** Parses JSON; returns `undefined` for an empty text, and invalid JSON as text, which the validation of keys rejects. */
function readJson(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function toLines(text: string): readonly string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter(Boolean);
}

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
function sortProblems(problems: readonly FormProblem[]): readonly FormProblem[] {
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
function toProblem(fault: ClientFault): FormProblem {
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
