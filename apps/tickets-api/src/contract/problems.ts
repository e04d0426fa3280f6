import { catalogue, type ErrorCode, type Problem } from '@keydesk/http';
import { z } from 'zod';
import { allowedStatusesSchema } from '../definitions/resources.ts';
import { createProblemRenderer, problemTypeBaseOf } from '../formats/problem.ts';
import type { Component } from './component.ts';
import type { StaleCondition } from './operation.ts';

/** The namespace of problem documents in XML (RFC 9457 Appendix B). */
export const problemNamespace = 'urn:ietf:rfc:7807';

const codes = Object.keys(catalogue) as [ErrorCode, ...ErrorCode[]];

const faults = z
  .array(
    z
      .object({
        field: z.string().describe('Where: `requester.email`, `tags[2]`, or the name of a parameter'),
        code: z.string().describe('What kind of fault it is'),
        message: z.string().describe('What is wrong, as a sentence about the field'),
      })
      .meta({ title: 'InputError' }),
  )
  .meta({ item: 'error', description: 'Every fault of the input at once' });

const problemSchema = z
  .object({
    type: z.url().describe('The URL of the page that explains the `code`'),
    title: z.string().describe('What kind of failure it is: the same for every one of this code'),
    status: z.int().min(400).max(599).describe('The status of the answer'),
    detail: z.string().describe('What is wrong with this request, and how to go on'),
    code: z.enum(codes).describe('The kind of failure, for programs to tell apart; a code is never renamed'),
    request_id: z.string().describe('Names the request in the log'),
    errors: faults.optional(),
    allowed: allowedStatusesSchema.optional(),
    tickets: z
      .int()
      .min(1)
      .optional()
      .describe('Beside `in_use`: how many tickets have it, counted up to 10,000 and as many deleted ones'),
    resource_url: z
      .string()
      .optional()
      .describe('The URL of the resource that has the id or external id, if the caller may see it'),
  })
  .describe('A failure (RFC 9457)');

/** What every failure is told as. */
export const problem = toComponent('Problem', problemSchema, toProblemExample('validation_failed'));

/** The answer to a change of an outdated copy: it carries the resource as it is now. */
export function toStaleProblem({ current: resource, isCurrentOptional }: StaleCondition): Component {
  const { name, schema, example } = resource;
  const present = schema.meta({ xml: { name: 'current' } });
  const current = isCurrentOptional ? present.optional() : present;
  const stale = problemSchema
    .omit({ errors: true, allowed: true, tickets: true, resource_url: true })
    .extend({ current });
  return toComponent(
    `${isCurrentOptional ? 'Unmet' : 'Stale'}${name}Problem`,
    stale,
    { ...toProblemExample('precondition_failed'), current: example },
    { current: schema },
  );
}

/** A failure of this code. */
export function toProblemExample(code: ErrorCode, status: number = catalogue[code].status): Problem {
  const { title } = catalogue[code];
  return {
    type: problemTypeBaseOf('https://api.example') + code,
    title,
    status,
    detail: `${title}.`,
    code,
    request_id: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071',
    ...(code === 'validation_failed' && {
      errors: [{ field: 'subject', code: 'required', message: 'is required' }],
    }),
    ...(code === 'transition_not_allowed' && { allowed: ['open', 'pending', 'hold'] }),
    ...(code === 'in_use' && { tickets: 12 }),
    ...((code === 'id_in_use' || code === 'external_id_in_use') && {
      resource_url: 'https://api.example/ticket/019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071.json',
    }),
  };
}

/** A failure as the API writes it in XML. */
export function toProblemXml(example: Problem, members: Readonly<Record<string, z.ZodType>> = {}): string {
  return createProblemRenderer({ allowed: allowedStatusesSchema, ...members })('xml', example);
}

function toComponent(
  name: string,
  schema: z.ZodObject,
  example: Problem,
  members?: Readonly<Record<string, z.ZodType>>,
): Component {
  return {
    name,
    schema,
    element: 'problem',
    namespace: problemNamespace,
    example,
    exampleXml: toProblemXml(example, members),
  };
}
