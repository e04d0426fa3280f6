import { describe, expect, test } from 'vitest';
import { operations } from '../operations.ts';
import { createDocument, createJsonDocument } from './create-document.ts';
import type { OperationObject, PathMethod } from './document.ts';

const options = { baseUrl: 'https://api.example', issuer: 'https://auth.example', rateLimitStatus: 421 };
const document = createJsonDocument(operations, options);
const text = JSON.stringify(document);

function listOperations(): OperationObject[] {
  return Object.values(document.paths).flatMap(({ parameters: _, ...item }) => Object.values(item));
}

describe('the document of the API in JSON', () => {
  test('has every operation under its own id, on a path that ends in .json', () => {
    const described = Object.entries(document.paths).flatMap(([path, { parameters: _, ...item }]) =>
      Object.entries(item).map(([method, { operationId }]) => `${operationId} ${method} ${path}`),
    );
    const expected = operations.map(({ id, method, path }) => `${id} ${method.toLowerCase()} ${path}.json`);
    expect(described.sort()).toEqual(expected.sort());
  });

  test('has one media type for each body and knows no choice of a format', () => {
    const contents = [
      ...listOperations().map(({ requestBody }) => requestBody?.content),
      ...listOperations().flatMap(({ responses }) =>
        Object.values(responses).map((each) => ('content' in each ? each.content : undefined)),
      ),
      ...Object.values(document.components.responses).map(({ content }) => content),
    ];
    const types = contents.flatMap((content) => (content ? [Object.keys(content).join()] : []));
    expect(new Set(types)).toEqual(new Set(['application/json', 'application/problem+json']));
    expect(text).not.toContain('{format}');
    expect(text).not.toContain('request.path.format');
    expect(text).not.toMatch(/"xml":|\/xml/);
  });

  test('has only components that are referred to, and all of those', () => {
    const referenced = new Set(
      [...text.matchAll(/"\$ref":"#\/components\/([^"]+)"/g)].map(([, name]) => name),
    );
    const { securitySchemes: _, ...components } = document.components;
    const present = Object.entries(components).flatMap(([kind, parts]) =>
      Object.keys(parts).map((name) => `${kind}/${name}`),
    );
    expect(new Set(present)).toEqual(referenced);
  });

  test('says the same as the full document of each operation', () => {
    const full = createDocument(operations, options);
    for (const { id, method, path } of operations) {
      const word = method.toLowerCase() as PathMethod;
      const [inJson, inFull] = [
        document.paths[`${path}.json`]?.[word],
        full.paths[`${path}.{format}`]?.[word],
      ];
      expect(inJson?.summary, id).toBe(inFull?.summary);
      expect(inJson?.parameters?.map(({ name }) => name)).toEqual(
        inFull?.parameters?.map(({ name }) => name),
      );
      expect(Object.keys(inJson?.responses ?? {})).toEqual(Object.keys(inFull?.responses ?? {}));
      expect(inJson?.requestBody === undefined).toBe(inFull?.requestBody === undefined);
    }
  });
});
