import type { StepUpOperation, StepUpRequirements } from '../api/access/step-up.ts';
import type { Operation } from './operation.ts';

/** Tags of what administrators define: rights of roles decide who may do anything else. */
const definitionTags: readonly string[] = ['definitions', 'fields', 'roles'];

type SelectOperations = (operations: readonly Operation[]) => readonly StepUpOperation[];

/** Groups of operations that `STEP_UP_OPERATIONS` can name. */
const groups = new Map<string, SelectOperations>([
  ['purge', () => [{ operationId: 'deleteTicket', parameter: { name: 'purge', value: 'true' } }]],
  ['definitions', selectDefinitionChanges],
  ['merge', () => [{ operationId: 'mergePeople' }]],
  ['export', () => [{ operationId: 'listAllEvents' }]],
]);

function selectDefinitionChanges(operations: readonly Operation[]): readonly StepUpOperation[] {
  return operations
    .filter(({ tag, method }) => definitionTags.includes(tag) && method !== 'GET')
    .map(({ id }) => ({ operationId: id }));
}

/**
 * Selects operations by names of groups and ids of operations.
 *
 * @throws {Error} listing the unknown names
 */
export function selectStepUpOperations(
  names: readonly string[],
  operations: readonly Operation[],
): readonly StepUpOperation[] {
  const ids = operations.flatMap(({ id, stream }) => [id, ...(stream ? [stream.id] : [])]);
  const unknown = names.filter((name) => !groups.has(name) && !ids.includes(name));
  if (unknown.length > 0)
    throw new Error(
      `STEP_UP_OPERATIONS: unknown ${unknown.join(', ')}; use ${[...groups.keys()].join(', ')} or ids of operations as in /openapi.json.`,
    );
  return names.flatMap((name) => groups.get(name)?.(operations) ?? [{ operationId: name }]);
}

/** Adds the requirements to the descriptions of the selected operations. */
export function announceStepUp(
  operations: readonly Operation[],
  selected: readonly StepUpOperation[],
  requirements: StepUpRequirements,
): readonly Operation[] {
  const describe = (id: string, description: string | undefined) => {
    const own = selected.filter(({ operationId }) => operationId === id);
    const notices = own.map((each) => describeStepUp(each, requirements));
    return [description, ...new Set(notices)].filter(Boolean).join(' ');
  };
  const isSelected = (id: string) => selected.some(({ operationId }) => operationId === id);
  return operations.map(({ stream, ...operation }) => ({
    ...operation,
    ...(isSelected(operation.id) && { description: describe(operation.id, operation.description) }),
    ...(stream && { stream: { ...stream, description: describe(stream.id, stream.description) } }),
  }));
}

function describeStepUp(
  { parameter }: StepUpOperation,
  { acrValues, maxAgeSeconds }: StepUpRequirements,
): string {
  const requests = parameter ? `With \`${parameter.name}=${parameter.value}\`, a` : 'A';
  const classes = acrValues.map((each) => `\`${each}\``).join(' or ');
  const needs = [
    ...(acrValues.length > 0 ? [`of the class ${classes}`] : []),
    ...(maxAgeSeconds === undefined ? [] : [`at most ${maxAgeSeconds} seconds ago`]),
  ];
  return `${requests} token of a user needs an authentication ${needs.join(', ')}; otherwise the response is 401 \`insufficient_user_authentication\` (RFC 9470).`;
}
