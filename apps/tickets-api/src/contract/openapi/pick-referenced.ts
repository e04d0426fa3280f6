import type { OpenApiDocument } from './document.ts';

const reference = /"\$ref":"#\/components\/(\w+)\/([^"]+)"/g;

/** Drops the components that no path refers to. */
export function pickReferenced(document: OpenApiDocument): OpenApiDocument {
  const { components, paths } = document;
  const reached = new Set<string>();
  const pending: unknown[] = [paths];
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    for (const [, kind = '', name = ''] of JSON.stringify(part).matchAll(reference)) {
      if (reached.has(`${kind}/${name}`)) continue;
      reached.add(`${kind}/${name}`);
      const ofKind: Readonly<Record<string, unknown>> = components[kind as keyof typeof components];
      pending.push(ofKind[name]);
    }
  }
  const pick = <Part>(kind: string, parts: Readonly<Record<string, Part>>) =>
    Object.fromEntries(Object.entries(parts).filter(([name]) => reached.has(`${kind}/${name}`)));
  return {
    ...document,
    components: {
      ...components,
      schemas: pick('schemas', components.schemas),
      responses: pick('responses', components.responses),
      headers: pick('headers', components.headers),
    },
  };
}
