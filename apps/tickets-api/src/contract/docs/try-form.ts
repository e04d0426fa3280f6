import type { ParameterObject } from '../openapi/document.ts';
import type { DescribedOperation } from './described-operations.ts';
import { type Html, html } from './html.ts';

/** A form that sends the operation. It is of no use without the script, and stays hidden then. */
export function renderTryForm(operation: DescribedOperation): Html {
  const { id, method, path, parameters, requestBody } = operation;
  const { first, more } = divideParameters(parameters);
  const types = Object.keys(requestBody?.content ?? {});
  return html`
    <details class="try" hidden>
      <summary>Try it</summary>
      <form data-method="${method}" data-path="${path}">
        ${renderFields(id, first)}
        ${more.length > 0 && html`<details><summary>More parameters</summary>${renderFields(id, more)}</details>`}
        ${types.length > 0 && renderBody(id, types)}
        <button type="submit">Send</button>
      </form>
      <div class="result" role="status"></div>
    </details>`;
}

/** Those that are shown at once, and those behind them where there are many. */
export function divideParameters(parameters: readonly ParameterObject[]) {
  const end = parameters.length > 12 ? 10 : parameters.length;
  return { first: parameters.slice(0, end), more: parameters.slice(end) };
}

function renderFields(id: string, parameters: readonly ParameterObject[]): Html {
  return html`<div class="fields">${parameters.map((parameter) => renderField(id, parameter))}</div>`;
}

function renderField(id: string, { name, in: place, required, schema }: ParameterObject): Html {
  const field = `${id}-${name}`;
  const control = schema.enum
    ? html`<select id="${field}" name="${name}" data-in="${place}">
        ${!required && html`<option></option>`}
        ${schema.enum.map((word) => html`<option>${String(word)}</option>`)}
      </select>`
    : html`<input id="${field}" name="${name}" data-in="${place}" autocomplete="off"${required && html` required`}>`;
  return html`<div><label for="${field}">${name}</label>${control}</div>`;
}

function renderBody(id: string, types: readonly string[]): Html {
  return html`
    <div>
      <label for="${id}-type">Content-Type</label>
      <select id="${id}-type" class="content-type">${types.map((type) => html`<option>${type}</option>`)}</select>
    </div>
    <div>
      <label for="${id}-body">Body</label>
      <textarea id="${id}-body" class="body" rows="10" spellcheck="false"></textarea>
    </div>`;
}
