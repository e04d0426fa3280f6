import type { Statement } from '@keydesk/storage/sqlite';
import {
  type Condition,
  type CustomCondition,
  listConditions,
  listCustomConditions,
  type RangeOperator,
  ranges,
} from '../../../helpdesk/list/ticket-filter.ts';
import type { TicketQuery } from '../../../helpdesk/tickets/ticket-store.ts';
import { type DecimalRange, toDecimalRanges } from '../../decimal-range.ts';

type Value = string | number;
type CustomValue = Value | boolean;

const comparisons = { gte: '>=', gt: '>', lte: '<=', lt: '<' } as const;

/** Fields that are columns; the others are in the document. */
const columns: ReadonlySet<string> = new Set([
  'id',
  'status',
  'status_category',
  'priority',
  'type',
  'assignee',
  'requester',
  'external_id',
  'follow_up_of',
  'due_at',
  'last_reply_at',
  'last_customer_reply_at',
  'waiting_since',
  'reply_count',
]);

/** Lists in the document, with the member that identifies their items. */
const lists: Readonly<Record<string, string>> = { cc: 'id', followers: 'id', links: 'ticket_id' };

/**
 * Returns the conditions checked on each ticket of a walk. Times that it may be sorted by are part of the walk itself.
 */
export function toChecks({ filter, reader }: Pick<TicketQuery, 'filter' | 'reader'>): Statement[] {
  const ofCustom = listCustomConditions(filter).flatMap(([key, each]) => checkCustomField(key, each));
  const ofEvery = listConditions(filter).flatMap(([name, condition]) => {
    if (name === 'created_at' || name === 'updated_at') return [];
    if (name === 'tag') return checkTags(condition);
    const member = lists[name];
    return member ? checkList(name, member, condition) : checkScalar(toOperand(name, reader), condition);
  });
  return [...ofEvery, ...ofCustom];
}

/** Returns the SQL of a field. Text is compared with an integer column, such as versions, by its numeric value. */
function toOperand(name: string, reader: string | undefined): string {
  if (name === 'version') return `tickets.${reader === undefined ? name : 'public_version'}`;
  return columns.has(name) ? `tickets.${name}` : `tickets.document ->> '$.${name}'`;
}

/** Checks a scalar. Times in documents have one format, so that text order is their order. */
function checkScalar(operand: string, condition: Condition): Statement[] {
  const { any, not, isEmpty } = condition;
  return [
    ...(any ? [isOneOf(operand, any)] : []),
    ...(not ? [{ sql: `(${operand} IS NULL OR ${operand} NOT IN (${marks(not)}))`, values: not }] : []),
    ...toBounds(condition).map(([operator, bound]) => ({
      sql: `${operand} ${comparisons[operator]} ?`,
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

/** Checks a custom field; a scalar counts as a list of itself. Validates the key again, because it goes into SQL. */
function checkCustomField(name: string, condition: CustomCondition): Statement[] {
  if (!/^[a-z][a-z0-9_]*$/.test(name)) throw new Error('Invalid key of a custom field.');
  const path = `'$.custom_fields.${name}'`;
  const ofTicket = `SELECT 1 FROM json_each(tickets.document, ${path}) AS each WHERE each.type <> 'null'`;
  const bounds = toBounds(condition).map(([operator, bound]) =>
    condition.isDecimal
      ? isDecimalWithin(path, toDecimalRanges(operator, String(bound)))
      : isWithin(path, operator, bound),
  );
  return [...checkMembers(condition, ofTicket, isCustomValue), ...bounds];
}

function isWithin(path: string, operator: RangeOperator, bound: CustomValue): Statement {
  const value = `tickets.document ->> ${path}`;
  const isComparable =
    typeof bound === 'number'
      ? `json_type(tickets.document, ${path}) IN ('integer', 'real')`
      : `json_type(tickets.document, ${path}) = 'text' AND ${value} GLOB '${dateForm}'`;
  return {
    sql: `(${isComparable} AND ${value} ${comparisons[operator]} ?)`,
    values: [typeof bound === 'number' ? bound : String(bound)],
  };
}

const dateForm = 'dddd-dd-dd'.replaceAll('d', '[0-9]');

function isDecimalWithin(path: string, ranges: readonly DecimalRange[]): Statement {
  const value = `tickets.document ->> ${path}`;
  const each = ranges.map(({ sign, digits, text }) => {
    const digitsOfValue = `substr(${value}, ${sign.length + 1}, instr(${value} || '.', '.') - ${sign.length + 1})`;
    const fraction = `substr(${value}, instr(${value} || '.', '.'))`;
    const conditions = [
      `${value} GLOB '${sign}*'`,
      `${digitsOfValue} NOT GLOB '*[^0-9]*' AND ${digitsOfValue} NOT GLOB '0?*'`,
      `substr(${fraction}, 2) NOT GLOB '*[^0-9]*' AND ${fraction} NOT GLOB '*[.0]'`,
      `length(${digitsOfValue}) BETWEEN ${digits.from} AND ${digits.to}`,
      ...(text ? [`${value} ${comparisons[text.operator]} ?`] : []),
    ];
    return { sql: `(${conditions.join(' AND ')})`, values: text ? [text.bound] : [] };
  });
  return {
    sql: `(json_type(tickets.document, ${path}) = 'text' AND ${value} <> '-0' AND (${each.map(({ sql }) => sql).join(' OR ')}))`,
    values: each.flatMap(({ values }) => values),
  };
}

function isCustomValue(all: readonly CustomValue[]): Statement {
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

/** @param ofTicket selects the members of the ticket */
function checkMembers<Value>(
  { any, all = [], not, isEmpty }: Condition<Value>,
  ofTicket: string,
  isMember: (values: readonly Value[]) => Statement,
): Statement[] {
  const has = (values: readonly Value[], negation = '') => {
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

function toBounds<Value>(condition: Condition<Value>): [operator: RangeOperator, bound: Value][] {
  return ranges.flatMap((operator): [RangeOperator, Value][] => {
    const bound = condition[operator];
    return bound === undefined ? [] : [[operator, bound]];
  });
}
