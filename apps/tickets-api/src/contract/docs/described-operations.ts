import type {
  OpenApiDocument,
  OperationObject,
  ParameterObject,
  PathItem,
  PathMethod,
  ResponseObject,
} from '../openapi/document.ts';
import { type Html, html } from './html.ts';

/** Operation with the parts that the document has elsewhere: path parameters, example URL and resolved responses. */
export interface DescribedOperation extends Pick<OperationObject, 'summary' | 'description' | 'requestBody'> {
  id: string;
  tag: string;
  method: string;
  /** Path template such as `/ticket/{ticket_id}.{format}`. */
  path: string;
  /** Example URL. */
  url: string;
  scopes: readonly string[];
  hasHead: boolean;
  /** Whether the response is an event stream. */
  isStream: boolean;
  parameters: readonly ParameterObject[];
  responses: readonly { status: string; response: ResponseObject }[];
}

/** Methods that get a description of their own; HEAD and OPTIONS follow from them. */
const describedMethods: readonly PathMethod[] = ['get', 'post', 'put', 'patch', 'delete'];

export function describeOperations(document: OpenApiDocument): DescribedOperation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    describedMethods.flatMap((method) => {
      const operation = item[method];
      return operation ? [describe(document, path, item, method, operation)] : [];
    }),
  );
}

function describe(
  document: OpenApiDocument,
  path: string,
  item: PathItem,
  method: PathMethod,
  operation: OperationObject,
): DescribedOperation {
  const { operationId, tags, security = [], responses } = operation;
  const examples = new Map(item.parameters.map(({ name, example }) => [name, String(example)]));
  const examplePath = path.replace(/\{(\w+)\}/g, (_, name) => examples.get(name) ?? '');
  return {
    ...operation,
    id: operationId,
    tag: tags[0] ?? '',
    method: method.toUpperCase(),
    path,
    url: `${document.servers[0]?.url ?? ''}${examplePath}`,
    scopes: security.flatMap((requirement) => Object.values(requirement).flat()),
    isStream: !path.endsWith('.{format}'),
    hasHead: method === 'get' && item.head !== undefined,
    parameters: [...item.parameters, ...(operation.parameters ?? [])],
    responses: Object.entries(responses).map(([status, response]) => ({
      status,
      response: '$ref' in response ? resolveResponse(document, response.$ref) : response,
    })),
  };
}

function resolveResponse({ components }: OpenApiDocument, reference: string): ResponseObject {
  const response = components.responses[reference.replace('#/components/responses/', '')];
  if (!response) throw new Error(`The contract has no response ${reference}.`);
  return response;
}

/**
 * Renders a list of all operations with their parameters, which needs no JavaScript. Error texts link to it by `/docs#`
 * and the operation id. Each entry links to the reader.
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
