import type { DescribedOperation } from './described-operations.ts';
import { type Html, html } from './html.ts';

/**
 * Every operation with the names of its parameters, for people without JavaScript and for error texts, which name
 * `/docs#` and the id of an operation. Each leads to the reader.
 */
export function renderOperations(operations: readonly DescribedOperation[]): Html {
  const byTag = [...Map.groupBy(operations, ({ tag }) => tag)];
  return html`
      <h2 id="operations">Operations</h2>
      ${byTag.map(
        ([tag, members]) => html`
      <h3 id="tag-${toAnchor(tag)}">${tag.charAt(0).toUpperCase()}${tag.slice(1)}</h3>
      ${members.map(renderOperation)}`,
      )}`;
}

/** The anchor of an operation in the reader, which `reader.js` makes of the `operationId`. */
export function toReaderAnchor({ tag, id }: Pick<DescribedOperation, 'tag' | 'id'>): string {
  return `tag/${toAnchor(tag)}/${id}`;
}

function toAnchor(tag: string): string {
  return tag.toLowerCase().replaceAll(' ', '-');
}

function renderOperation(operation: DescribedOperation): Html {
  const { id, method, path, summary, parameters } = operation;
  return html`<article id="${id}">
        <p><a href="docs/reference#${toReaderAnchor(operation)}">${summary}</a><br><code>${method} ${path}</code></p>
        <details><summary>Parameters of ${id}</summary>
        <p>${parameters.map(({ name }) => html`<code>${name}</code> `)}</p></details>
      </article>
      `;
}
