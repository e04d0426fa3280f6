import type { Component } from '../component.ts';
import type { Operation } from '../operation.ts';
import { problem, toStaleProblem } from '../problems.ts';
import { toFormSchema, toMergePatchSchema } from './derived-schemas.ts';
import { schemaReference, type WireSchema } from './document.ts';
import { toWireSchemas } from './wire-schema.ts';

type Schemas = Record<string, WireSchema>;

/** Returns every schema that the operations refer to, by name. */
export function toComponentSchemas(operations: readonly Operation[]): Schemas {
  return { ...toAnswerSchemas(operations), ...toBodySchemas(operations) };
}

/** Returns the schemas of response bodies. */
export function toAnswerSchemas(operations: readonly Operation[]): Schemas {
  const answers = operations.flatMap(({ answer, otherAnswer }) => [
    answer.component,
    ...(otherAnswer ? [otherAnswer.component] : []),
  ]);
  const members = answers.flatMap(({ member }) => member ?? []);
  const stale = operations.flatMap(({ conditional }) =>
    typeof conditional === 'object' ? [toStaleProblem(conditional)] : [],
  );
  return toSchemas([...answers, problem, ...stale], 'output', members);
}

export function referTo({ name }: Component): WireSchema {
  return { $ref: schemaReference(name) };
}

/** Refers to the form variant of a component. */
export function referToForm({ name }: Component): WireSchema {
  return { $ref: schemaReference(toFormName(name)) };
}

function toBodySchemas(operations: readonly Operation[]): Schemas {
  const bodies = operations.flatMap(({ body }) => body ?? []);
  const resources = toSchemas(
    bodies.flatMap((body) => ('resource' in body ? [body.resource] : [])),
    'input',
  );
  const forms = Object.entries(resources).map(([name, schema]) => [toFormName(name), toFormSchema(schema)]);
  const patches = bodies.flatMap((body) => ('patchOf' in body ? toPatchSchema(body) : []));
  return { ...resources, ...Object.fromEntries([...forms, ...patches]) };
}

function toPatchSchema({ patchOf, required }: { patchOf: Component; required: readonly string[] }) {
  const schemas = Object.entries(toSchemas([patchOf], 'input'));
  return schemas.map(([name, schema]) => [name, toMergePatchSchema(schema, required)]);
}

/** @param members components that are only part of others and no root elements */
function toSchemas(
  components: readonly Component[],
  side: 'input' | 'output',
  members: readonly Component[] = [],
): Schemas {
  const schemas: Record<string, Component['schema']> = {};
  for (const { name, schema } of [...components, ...members]) {
    const other = schemas[name] ?? schema;
    if (Object.keys(other.shape).join() !== Object.keys(schema.shape).join())
      throw new Error(`Two different schemas are named ${name}; rename one of them.`);
    schemas[name] = schema;
  }
  const wire = toWireSchemas(schemas, side);
  for (const { name, element, namespace } of components) {
    const { title: _, ...named } = wire[name] ?? {};
    const xml = { name: element, ...(namespace !== undefined && { namespace }) };
    wire[name] = { ...named, xml };
  }
  return wire;
}

function toFormName(name: string): string {
  return `${name}Form`;
}
