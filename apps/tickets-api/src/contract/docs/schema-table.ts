import { nameOfReference, type WireSchema } from '../openapi/document.ts';
import { type Html, html, inline } from './html.ts';
import { renderTable } from './table.ts';
import { describeType } from './type-words.ts';

/** A schema by its members; those of inner objects are named by their path. */
export function renderSchema(name: string, schema: WireSchema): Html {
  return html`
    <article id="schema-${name}">
      <h3>${name}</h3>
      ${schema.description !== undefined && html`<p>${inline(schema.description)}</p>`}
      ${renderTable(['Member', 'Is', 'Means'], toRows(schema))}
    </article>`;
}

/** A link to the table of a schema. */
export function renderReference({ $ref = '' }: WireSchema): Html {
  const name = nameOfReference($ref);
  return html`<a href="#schema-${name}">${name}</a>`;
}

/** Where every member is required, saying so would only be in the way. */
function toRows({ properties = {}, required = [] }: WireSchema, path = ''): Html[][] {
  const isAllRequired = required.length === Object.keys(properties).length;
  return Object.entries(properties).flatMap(([name, member]) => {
    const memberPath = `${path}${name}`;
    const isRequired = !isAllRequired && required.includes(name);
    return [
      [
        html`<code>${memberPath}</code>`,
        html`${member.$ref === undefined ? describeType(member) : renderReference(member)}${isRequired && html` <em>required</em>`}`,
        html`${inline(member.description ?? '')}`,
      ],
      ...toRows(member, `${memberPath}.`),
      ...(member.items ? toRows(member.items, `${memberPath}[].`) : []),
    ];
  });
}
