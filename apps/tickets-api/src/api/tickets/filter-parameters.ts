import { z } from 'zod';
import { idOf } from '../../helpdesk/definitions/defined-id.ts';
import { customFieldOperators, filterFields, toParameterName } from '../../helpdesk/list/ticket-filter.ts';
import { emailAddress } from '../../helpdesk/people/person.ts';
import { tagSchema } from '../../helpdesk/tickets/ticket.ts';
import type { OpenParameters } from '../http/query-parameters.ts';
import { createFilters, readName, toFilterSchema } from '../lists/filter-grammar.ts';

const MAX_CUSTOM_FIELDS = 10;

const text = z.string().min(1, 'must not be empty').max(255);

const person = z.union([z.literal('me'), z.uuid({ abort: true }).toLowerCase(), emailAddress], {
  error: 'must be an e-mail address, the id of a person, or me',
});

/** Filters of tickets by built-in fields. */
export const ticketFilters = createFilters(filterFields, {
  // `resolveDefinitions` rejects ids that are not defined.
  status: idOf('status'),
  type: idOf('type'),
  priority: idOf('priority'),
  person,
  tag: tagSchema,
  text,
  id: z.uuid({ error: 'must be the id of a ticket' }).toLowerCase(),
  count: z.string().regex(/^(0|[1-9]\d{0,14})$/, 'must be a whole number'),
});

/** Name templates of the filter parameters of custom fields, one for each operator. */
export const customFieldNames: readonly string[] = customFieldOperators.map((operator) =>
  toParameterName('custom_fields.NAME', operator),
);

/** Pattern of the names of filter parameters of custom fields. */
export const customFieldPattern = `^custom_fields\\.[a-z][a-z0-9_]{0,63}(\\[(${customFieldOperators
  .flatMap((operator) => toParameterName('', operator).slice(1, -1) || [])
  .join('|')})\\])?$`;
const customField = new RegExp(customFieldPattern);

const customFieldSchemas = new Map(
  customFieldOperators.map((operator) => [operator, toFilterSchema(operator, text)]),
);

/** Filter parameters of custom fields; all parameters of one operator share a schema. */
export const customFieldParameters: OpenParameters = {
  forms: customFieldNames,
  max: MAX_CUSTOM_FIELDS,
  find(parameter) {
    const { operator } = readName(parameter);
    return operator && customField.test(parameter) ? customFieldSchemas.get(operator) : undefined;
  },
};
