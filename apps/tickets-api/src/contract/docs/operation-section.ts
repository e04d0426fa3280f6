import type { Content, ParameterObject } from '../openapi/document.ts';
import { toCurl, toStreamCurl } from './curl.ts';
import type { DescribedOperation } from './described-operations.ts';
import { toReadableText, toWireText } from './examples.ts';
import { type Html, html, inline, prose } from './html.ts';
import { renderReference } from './schema-table.ts';
import { renderTable } from './table.ts';
import { divideParameters, renderTryForm } from './try-form.ts';
import { describeType } from './type-words.ts';

/** All that a developer needs to know of one operation. */
export function renderOperation(operation: DescribedOperation): Html {
  const { id, method, path, summary, description, requestBody } = operation;
  return html`
    <article id="${id}">
      <h3>${summary}</h3>
      <p class="line">${renderMethod(method)} <code>${path}</code></p>
      ${description !== undefined && prose(description)}
      ${renderNeeds(operation)}
      <h4>Parameters</h4>
      ${renderParameters(operation.parameters)}
      <h4>${requestBody ? 'Request body' : 'Request'}</h4>
      ${requestBody ? renderBodies(operation, requestBody.content) : renderRequest(operation)}
      <h4>Answers</h4>
      ${renderAnswers(operation.responses)}
      ${!operation.isStream && renderTryForm(operation)}
    </article>`;
}

export function renderMethod(method: string): Html {
  return html`<span class="method ${method.toLowerCase()}">${method}</span>`;
}

/** Something to copy. */
export function renderCode(text: string): Html {
  return html`<pre class="copy" tabindex="0">${text}</pre>`;
}

function renderNeeds({ scopes, hasHead }: DescribedOperation): Html {
  const head = html` <code>HEAD</code> answers with the headers only.`;
  return html`<p>Needs the scope ${scopes.map((scope) => html`<code>${scope}</code>`)}.${hasHead && head}</p>`;
}

/** Many are too long to read past: the rest is there to be opened. */
function renderParameters(parameters: readonly ParameterObject[]): Html {
  const { first, more } = divideParameters(parameters);
  return html`
    ${renderParameterTable(first)}
    ${
      more.length > 0 &&
      html`
      <details>
        <summary>${more.length} more parameters</summary>
        ${renderParameterTable(more)}
      </details>`
    }`;
}

function renderParameterTable(parameters: readonly ParameterObject[]): Html {
  const rows = parameters.map(({ name, in: place, required, description = '', schema }) => [
    html`<code>${name}</code>`,
    html`${place}`,
    html`${describeType(schema)}${required && html` <em>required</em>`}`,
    html`${inline(description)}`,
  ]);
  return renderTable(['Name', 'In', 'Is', 'Means'], rows);
}

function renderRequest({ method, url, isStream }: DescribedOperation): Html {
  return renderCode(isStream ? toStreamCurl(url) : toCurl(method, url));
}

function renderBodies({ method, url }: DescribedOperation, content: Content): Html[] {
  return Object.entries(content).map(
    ([type, media], i) => html`
      <details${i === 0 && html` open`}>
        <summary><code>${type}</code></summary>
        <p>${renderReference(media.schema)}</p>
        <pre tabindex="0" data-body="${type}">${toReadableText(type, media)}</pre>
        ${renderCode(toCurl(method, url, { type, text: toWireText(type, media) }))}
      </details>`,
  );
}

function renderAnswers(responses: DescribedOperation['responses']): Html {
  const good = responses.filter(({ status }) => status.startsWith('2'));
  const common = toCommonHeaders(responses);
  const examples = good.flatMap(({ response }) => Object.entries(response.content ?? {}));
  return html`
    ${renderTable(
      ['Status', 'Means', 'Body', 'Headers'],
      responses.map((each) => toAnswerRow(each, common)),
    )}
    <p>Every answer: ${[...common].map(renderHeaderName)}</p>
    ${examples.map(
      ([type, media]) => html`
        <details>
          <summary><code>${type}</code></summary>
          <pre tabindex="0">${toReadableText(type, media)}</pre>
        </details>`,
    )}`;
}

type StatusResponse = DescribedOperation['responses'][number];

/** The headers that all the answers of ours have, which need not be told of each. */
function toCommonHeaders(responses: readonly StatusResponse[]): Set<string> {
  const [first, ...others] = responses.filter(({ response }) => Object.keys(response.headers).length > 0);
  const names = Object.keys(first?.response.headers ?? {});
  return new Set(names.filter((name) => others.every(({ response }) => name in response.headers)));
}

function renderHeaderName(name: string): Html {
  return html`<a href="#header-${name}"><code>${name}</code></a> `;
}

function toAnswerRow({ status, response }: StatusResponse, common: ReadonlySet<string>): Html[] {
  const [media] = Object.values(response.content ?? {});
  return [
    html`<code>${status}</code>`,
    html`${inline(response.description)}`,
    html`${media?.schema.$ref !== undefined && renderReference(media.schema)}`,
    html`${Object.keys(response.headers)
      .filter((name) => !common.has(name))
      .map(renderHeaderName)}`,
  ];
}
