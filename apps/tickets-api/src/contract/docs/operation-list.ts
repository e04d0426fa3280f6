import type { DescribedOperation } from './described-operations.ts';
import { type Html, html } from './html.ts';

/**
 * Renders a list of all operations with their parameters, which needs no JavaScript. Error texts link to it by `/docs#` and
 * the operation id. Each entry links to the reader.
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

/** Returns the anchor of an operation in the reader, as `reader.js` builds it from the `operationId`. */
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
