import { catalogue, type ErrorCode, type Problem } from '@keydesk/server';
import { z } from 'zod';
import { allowedStatusesSchema } from '../helpdesk/definitions/definition-view.ts';
import { missingRightsSchema } from '../helpdesk/roles/right.ts';
import { createProblemRenderer, toProblemTypeBase } from '../wire/output/problem.ts';
import type { Component } from './component.ts';
import type { StaleCondition } from './operation.ts';

/** Namespace of problem documents in XML (RFC 9457 Appendix B). */
export const problemNamespace = 'urn:ietf:rfc:7807';

const codes = Object.keys(catalogue) as [ErrorCode, ...ErrorCode[]];

const faults = z
  .array(
    z
      .object({
        field: z.string().describe('Field or parameter, such as `requester.email`, `tags[2]` or `limit`'),
        code: z.string().describe('Kind of error'),
        message: z
          .string()
          .describe('Description of the error; reads as a sentence after the name of the field'),
      })
      .meta({ title: 'InputError' }),
  )
  .meta({ item: 'error', description: 'All errors of the input' });

const problemSchema = z
  .object({
    type: z.url().describe('URL of the documentation of `code`'),
    title: z.string().describe('Summary of the problem, the same for every problem with this code'),
    status: z.int().min(400).max(599).describe('HTTP status of the response'),
    detail: z.string().describe('Explanation of this problem, and what to send instead'),
    code: z.enum(codes).describe('Machine-readable code of the problem; codes are never renamed'),
    request_id: z.string().describe('Id of the request in the log'),
    errors: faults.optional(),
    allowed: allowedStatusesSchema.optional(),
    missing_rights: missingRightsSchema.optional(),
    tickets: z
      .int()
      .min(1)
      .optional()
      .describe('With `in_use`: number of tickets that have it: up to 10,000, and up to 10,000 deleted ones'),
    resource_url: z
      .string()
      .optional()
      .describe('URL of the resource that has the id or external id, if the caller may see it'),
  })
  .describe('Problem document (RFC 9457)');

/** Component of all problem documents. */
export const problem = toComponent('Problem', problemSchema, toProblemExample('validation_failed'));

/** Creates the component of a 412 problem, which has the current state of the resource. */
export function toStaleProblem({ current: resource, isCurrentOptional }: StaleCondition): Component {
  const { name, schema, example } = resource;
  const present = schema.meta({ xml: { name: 'current' } });
  const current = isCurrentOptional ? present.optional() : present;
  const stale = problemSchema
    .omit({ errors: true, allowed: true, missing_rights: true, tickets: true, resource_url: true })
    .extend({ current });
  return toComponent(
    `${isCurrentOptional ? 'Unmet' : 'Stale'}${name}Problem`,
    stale,
    { ...toProblemExample('precondition_failed'), current: example },
    { current: schema },
  );
}

/** Creates an example problem with this code. */
export function toProblemExample(code: ErrorCode, status: number = catalogue[code].status): Problem {
  const { title } = catalogue[code];
  return {
    type: toProblemTypeBase('https://api.example') + code,
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

/** Renders a problem in XML as the API does. */
export function toProblemXml(example: Problem, members: Readonly<Record<string, z.ZodType>> = {}): string {
  return createProblemRenderer({
    allowed: allowedStatusesSchema,
    missing_rights: missingRightsSchema,
    ...members,
  })('xml', example);
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
