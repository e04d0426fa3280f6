import {
  type ApplicationType,
  applicationTypes,
  type Client,
  idTokenAlgorithms,
} from '../../clients/client.ts';
import { type ClientFault, findFaults } from '../../clients/client-faults.ts';
import { type ClientRequest, toRequest } from '../../clients/client-rules.ts';
import { typeRules } from '../../clients/client-types.ts';
import { isReservedScope, registrableScopesOf } from '../../clients/requestable-scopes.ts';
import type { ApplicationFormView } from '../../pages/views/applications.ts';
import { apiScopes } from '../../scopes.ts';
import { type FormProblem, sortProblems, toProblem } from './form-problems.ts';

export type FormValues = ApplicationFormView['values'];

/** The submitted values of a form, with either its problems or the request that it makes. */
export type ReadForm = { values: FormValues } & (
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
  return registrableScopesOf(typeRules.web)
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
