import {
  type Condition,
  conditionsOf,
  isNumeric,
  toCustomField,
  toCustomValues,
} from '../../tickets/ticket-filter.ts';
import type { TicketQuery } from '../../tickets/ticket-store.ts';
import type { Statement } from './list-statement.ts';

type Value = string | number;

const comparisons = { gte: '>=', gt: '>', lte: '<=', lt: '<' } as const;

/** What is beside the document, in a column of its own. */
const columns: ReadonlySet<string> = new Set([
  'id',
  'status',
  'priority',
  'type',
  'assignee',
  'requester',
  'external_id',
  'follow_up_of',
  'due_at',
]);

/** Lists in the document, and what their members are known by. */
const lists: Readonly<Record<string, string>> = { cc: 'email', followers: 'email', links: 'ticket_id' };

/** What is checked of each ticket that a walk leads to. The times that it may be sorted by are in the walk itself. */
export function toChecks({ filter, reader }: Pick<TicketQuery, 'filter' | 'reader'>): Statement[] {
  return conditionsOf(filter).flatMap(([name, condition]) => {
    if (name === 'created_at' || name === 'updated_at') return [];
    const custom = toCustomField(name);
    if (custom !== undefined) return checkCustomField(custom, condition);
    if (name === 'tag') return checkTags(condition);
    const member = lists[name];
    return member ? checkList(name, member, condition) : checkScalar(toOperand(name, reader), condition);
  });
}

/** A text that is compared with a column of numbers, as versions are, is taken for the number that it reads like. */
function toOperand(name: string, reader: string | undefined): string {
  if (name === 'version') return `tickets.${reader === undefined ? name : 'public_version'}`;
  return columns.has(name) ? `tickets.${name}` : `tickets.document ->> '$.${name}'`;
}

/** Times in documents are of one length and zone, so they are in the order of their texts. */
function checkScalar(operand: string, condition: Condition): Statement[] {
  const { any, not, isEmpty } = condition;
  return [
    ...(any ? [isOneOf(operand, any)] : []),
    ...(not ? [{ sql: `(${operand} IS NULL OR ${operand} NOT IN (${marks(not)}))`, values: not }] : []),
    ...toBounds(condition).map(([comparison, bound]) => ({
      sql: `${operand} ${comparison} ?`,
      values: [bound],
    })),
    ...(isEmpty === undefined ? [] : [{ sql: `${operand} IS ${isEmpty ? '' : 'NOT '}NULL`, values: [] }]),
  ];
}

function checkTags(condition: Condition): Statement[] {
  const ofTicket = 'SELECT 1 FROM ticket_tags AS own WHERE own.seq = tickets.seq';
  return checkMembers(condition, ofTicket, (values) => isOneOf('own.tag', values));
}

function checkList(name: string, member: string, condition: Condition): Statement[] {
  const ofTicket = `SELECT 1 FROM json_each(tickets.document, '$.${name}') AS each WHERE 1`;
  return checkMembers(condition, ofTicket, (values) => isOneOf(`each.value ->> '$.${member}'`, values));
}

/** A scalar is read as a list of itself. The name goes into the statement, so it is looked at once more. */
function checkCustomField(name: string, condition: Condition): Statement[] {
  if (!/^[a-z][a-z0-9_]*$/.test(name)) throw new Error('This can be the name of no custom field.');
  const path = `'$.custom_fields.${name}'`;
  const ofTicket = `SELECT 1 FROM json_each(tickets.document, ${path}) AS each WHERE each.type <> 'null'`;
  const bounds = toBounds(condition).map(([comparison, bound]) => {
    const type = `json_type(tickets.document, ${path})`;
    const isComparable = isNumeric(bound) ? `${type} IN ('integer', 'real')` : `${type} = 'text'`;
    const value = isNumeric(bound) ? Number(bound) : bound;
    return { sql: `(${isComparable} AND tickets.document ->> ${path} ${comparison} ?)`, values: [value] };
  });
  return [...checkMembers(condition, ofTicket, isCustomValue), ...bounds];
}

function isCustomValue(values: readonly string[]): Statement {
  const all = values.flatMap(toCustomValues);
  const texts = all.filter((value) => typeof value === 'string');
  const numbers = all.filter((value) => typeof value === 'number');
  const booleans = all.filter((value) => typeof value === 'boolean').map(String);
  return {
    sql: `(each.type = 'text' AND each.atom IN (${marks(texts)})
      OR each.type IN ('integer', 'real') AND each.atom IN (${marks(numbers)})
      OR each.type IN (${marks(booleans)}))`,
    values: [...texts, ...numbers, ...booleans],
  };
}

/** @param ofTicket selects the members that the ticket has */
function checkMembers(
  { any, all = [], not, isEmpty }: Condition,
  ofTicket: string,
  isMember: (values: readonly string[]) => Statement,
): Statement[] {
  const has = (values: readonly string[], negation = '') => {
    const { sql, values: given } = isMember(values);
    return { sql: `${negation}EXISTS (${ofTicket} AND ${sql})`, values: given };
  };
  return [
    ...(any ? [has(any)] : []),
    ...all.map((value) => has([value])),
    ...(not ? [has(not, 'NOT ')] : []),
    ...(isEmpty === undefined ? [] : [{ sql: `${isEmpty ? 'NOT ' : ''}EXISTS (${ofTicket})`, values: [] }]),
  ];
}

function isOneOf(operand: string, values: readonly Value[]): Statement {
  return { sql: `${operand} IN (${marks(values)})`, values };
}

function marks(values: readonly Value[]): string {
  return values.map(() => '?').join();
}

function toBounds(condition: Condition): [comparison: string, bound: string][] {
  return Object.entries(comparisons).flatMap(([name, comparison]): [string, string][] => {
    const bound = condition[name as keyof typeof comparisons];
    return bound === undefined ? [] : [[comparison, bound]];
  });
}
