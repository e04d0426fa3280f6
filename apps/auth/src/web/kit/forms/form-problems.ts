import { AppError, type FieldError } from '@keydesk/server';
import { MAX_TEXT } from '../../../accounts/account/profile.ts';
import { MAX_PASSKEY_NAME } from '../../../accounts/passkeys/registration.ts';
import { MAX_PASSWORD_LENGTH } from '../../../accounts/passwords/password-policy.ts';
import type { Coded } from '../../../pages/messages.ts';
import type { Problem } from '../../../pages/views/forms.ts';
import { toRateLimitProblem } from './credentials-form.ts';

/** Status and problems with which the page of a rejected form is shown again. */
export interface RejectedForm<Field extends string> {
  status: 400 | 429;
  problems: readonly Problem<Field>[];
}

export interface FormSubmission<Field extends string> {
  form: URLSearchParams;
  /** Required fields in the order of the form, with the problem of an empty one. */
  required: Readonly<Record<Field, Coded<'problem'>>>;
  /** Name of the form's field for `password`, if it differs. */
  passwordField?: Field | undefined;
  passwordMinLength: number;
  /** Validates the other fields without side effects, if some are empty. */
  validate?: () => readonly FieldError[];
  action: () => Promise<unknown>;
}

/** Runs the action of a form; resolves with the problems if it was rejected because of the input or a limit. */
export async function submitForm<Field extends string>(
  request: FormSubmission<Field>,
): Promise<RejectedForm<Field> | undefined> {
  const missing = findMissing(request);
  if (missing.length > 0) return { status: 400, problems: withInvalidFields(missing, request) };
  try {
    await request.action();
    return undefined;
  } catch (err) {
    const isInput = err instanceof AppError && err.code === 'validation_failed';
    if (!isInput) return { status: 429, problems: [toRateLimitProblem(err)] };
    return {
      status: 400,
      problems: inFormOrder(
        err.errors.map((error) => toProblem(error, request)),
        request,
      ),
    };
  }
}

/** Returns every problem of a form with empty fields. */
function withInvalidFields<Field extends string>(missing: Problem<Field>[], request: FormSubmission<Field>) {
  const isMissing = (field: Field | undefined) => missing.some((problem) => problem.field === field);
  const errors = request.validate?.() ?? [];
  const others = errors.map((error) => toProblem(error, request)).filter(({ field }) => !isMissing(field));
  return inFormOrder([...missing, ...others], request);
}

/** Sorts by field, so that the first problem is that of the first invalid field. */
function inFormOrder<Field extends string>(problems: Problem<Field>[], { required }: FormSubmission<Field>) {
  const fields = Object.keys(required);
  return problems.toSorted((a, b) => fields.indexOf(a.field ?? '') - fields.indexOf(b.field ?? ''));
}

function findMissing<Field extends string>({ form, required }: FormSubmission<Field>): Problem<Field>[] {
  const fields = Object.keys(required) as Field[];
  const missing = fields.filter((field) => (form.get(field) ?? '').trim() === '');
  return missing.map((field) => {
    const message: Coded<'problem'> = required[field];
    return { field, ...message };
  });
}

function toProblem<Field extends string>(error: FieldError, request: FormSubmission<Field>): Problem<Field> {
  const { required, passwordField } = request;
  const name = error.field === 'password' ? (passwordField ?? error.field) : error.field;
  const field = Object.hasOwn(required, name) ? (name as Field) : undefined;
  return { field, ...messageOf(error, request.passwordMinLength) };
}

function messageOf({ field, code }: FieldError, passwordMinLength: number): Coded<'problem'> {
  switch (`${field} ${code}`) {
    case 'email invalid':
      return { code: 'email_invalid' };
    case 'email unchanged':
      return { code: 'email_same' };
    case 'name invalid':
      return { code: 'name_invalid' };
    case 'name too_long':
      return { code: 'name_too_long', values: { max: MAX_TEXT } };
    case 'password too_short':
      return { code: 'password_too_short', values: { min: passwordMinLength } };
    case 'password too_long':
      return { code: 'password_too_long', values: { max: MAX_PASSWORD_LENGTH } };
    case 'password too_simple':
      return { code: 'password_too_simple' };
    case 'password too_personal':
      return { code: 'password_personal' };
    case 'password too_common':
      return { code: 'password_common' };
    case 'password breached':
      return { code: 'password_breached' };
    case 'password unchanged':
      return { code: 'password_same' };
    case 'passkey_name missing':
      return { code: 'name_missing' };
    case 'passkey_name too_long':
      return { code: 'name_too_long', values: { max: MAX_PASSKEY_NAME } };
    case 'passkey invalid':
      return { code: 'passkey_invalid' };
    case 'passkey too_many':
      return { code: 'passkey_too_many' };
    case 'passkey last':
      return { code: 'passkey_last' };
    case 'current_password wrong_password':
      return { code: 'password_wrong' };
    default:
      throw new Error(`The pages have no text for ${field} ${code}.`);
  }
}
