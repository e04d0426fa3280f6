import { AppError, type FieldError } from '@keydesk/http';
import { MAX_PASSWORD_LENGTH } from '../accounts/password-policy.ts';
import { MAX_TEXT } from '../accounts/profile.ts';
import { toRateLimitProblem } from '../interactions/credentials-form.ts';
import type { Coded } from '../pages/messages.ts';
import type { Problem } from '../pages/views/forms.ts';

/** Why a form was not accepted, and the status that its page is shown with once more. */
export interface Refusal<Field extends string> {
  status: 400 | 429;
  problems: readonly Problem<Field>[];
}

export interface Attempt<Field extends string> {
  form: URLSearchParams;
  /** The fields that must not be empty, in the order of the form, with the problem of a missing one. */
  required: Readonly<Record<Field, Coded<'problem'>>>;
  /** The form's field for what the use case calls `password`, when that is not its name. */
  passwordField?: Field | undefined;
  passwordMinLength: number;
  /** Finds what is wrong with the fields that are filled in, without any effect, when others are empty. */
  findFaults?: () => readonly FieldError[];
  action: () => Promise<unknown>;
}

/** Does what a form asks for; resolves with what is to be told when that was refused for the input or too often. */
export async function attempt<Field extends string>(
  request: Attempt<Field>,
): Promise<Refusal<Field> | undefined> {
  const missing = findMissing(request);
  if (missing.length > 0) return { status: 400, problems: withFaults(missing, request) };
  try {
    await request.action();
    return undefined;
  } catch (err) {
    const isInput = err instanceof AppError && err.code === 'validation_failed';
    if (!isInput) return { status: 429, problems: [toRateLimitProblem(err)] };
    return {
      status: 400,
      problems: inFormOrder(
        err.errors.map((fault) => toProblem(fault, request)),
        request,
      ),
    };
  }
}

/** Every problem of a form some of whose fields are empty. */
function withFaults<Field extends string>(missing: Problem<Field>[], request: Attempt<Field>) {
  const isMissing = (field: Field | undefined) => missing.some((problem) => problem.field === field);
  const faults = request.findFaults?.() ?? [];
  const others = faults.map((fault) => toProblem(fault, request)).filter(({ field }) => !isMissing(field));
  return inFormOrder([...missing, ...others], request);
}

/** In the order of the fields, so that the first problem is that of the first faulty field. */
function inFormOrder<Field extends string>(problems: Problem<Field>[], { required }: Attempt<Field>) {
  const fields = Object.keys(required);
  return problems.toSorted((a, b) => fields.indexOf(a.field ?? '') - fields.indexOf(b.field ?? ''));
}

function findMissing<Field extends string>({ form, required }: Attempt<Field>): Problem<Field>[] {
  const fields = Object.keys(required) as Field[];
  const missing = fields.filter((field) => (form.get(field) ?? '').trim() === '');
  return missing.map((field) => {
    const message: Coded<'problem'> = required[field];
    return { field, ...message };
  });
}

function toProblem<Field extends string>(fault: FieldError, request: Attempt<Field>): Problem<Field> {
  const { required, passwordField } = request;
  const name = fault.field === 'password' ? (passwordField ?? fault.field) : fault.field;
  const field = Object.hasOwn(required, name) ? (name as Field) : undefined;
  return { field, ...messageOf(fault, request.passwordMinLength) };
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
    case 'password unchanged':
      return { code: 'password_same' };
    case 'current_password wrong_password':
      return { code: 'password_wrong' };
    default:
      throw new Error(`The pages have no words for ${field} ${code}.`);
  }
}
