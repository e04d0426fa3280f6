import { patchTypes, resourceTypes } from '../../wire/request-body.ts';
import type { Component, Example } from '../component.ts';
import type { RequestBody } from '../operation.ts';
import { referTo, referToForm } from './components.ts';
import { toFormSchema } from './derived-schemas.ts';
import type { Content, MediaType, RequestBodyObject } from './document.ts';
import { toWireSchema } from './wire-schema.ts';

/** Creates the request body in every format that the routes accept. */
export function toRequestBody(body: RequestBody): RequestBodyObject {
  return { required: true, content: 'patchOf' in body ? toPatch(body.patchOf) : toResource(body.resource) };
}

function toPatch(component: Component): Content {
  const media = { schema: referTo(component), example: component.example };
  return Object.fromEntries(patchTypes.map((type) => [type, media]));
}

function toResource(component: Component): Content {
  const xml = { schema: referTo(component), example: component.exampleXml };
  const media: Record<(typeof resourceTypes)[number], MediaType> = {
    'application/json': { schema: referTo(component), example: component.example },
    'application/xml': xml,
    'text/xml': xml,
    'application/x-www-form-urlencoded': toForm(component),
  };
  return Object.fromEntries(resourceTypes.map((type) => [type, media[type]]));
}

/** Creates the form variant; objects are sent as `name[member]=…`. */
function toForm(component: Component): MediaType {
  const { properties = {} } = toFormSchema(toWireSchema(component.schema, 'input'));
  const objects = Object.keys(properties).filter((name) => properties[name]?.type === 'object');
  const deepObject = { style: 'deepObject', explode: true } as const;
  return {
    schema: referToForm(component),
    example: toFormExample(component.example, (name) => properties[name]?.properties === undefined),
    encoding: Object.fromEntries(objects.map((name) => [name, deepObject])),
  };
}

/** @param isMap whether a member is a map, whose values are texts */
function toFormExample(example: Example, isMap: (name: string) => boolean): Example {
  const members = Object.entries(example).flatMap(([name, value]) => {
    if (Array.isArray(value)) return [[`${name}[]`, value]];
    return [[name, isObject(value) ? toScalars(value, isMap(name)) : value]];
  });
  return Object.fromEntries(members);
}

function toScalars(object: Example, areTexts: boolean): Example {
  const scalars = Object.entries(object).filter(([, value]) => typeof value !== 'object');
  return Object.fromEntries(scalars.map(([name, value]) => [name, areTexts ? String(value) : value]));
}

function isObject(value: unknown): value is Example {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
