import { type Html, html } from './html.ts';

/** A table whose first column names the rows. It scrolls by itself where the window is narrow. */
export function renderTable(columns: readonly string[], rows: readonly (readonly Html[])[]): Html {
  return html`
    <div class="scroll" tabindex="0">
      <table>
        <thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
        <tbody>${rows.map(renderRow)}</tbody>
      </table>
    </div>`;
}

function renderRow([name, ...cells]: readonly Html[]): Html {
  return html`<tr><th scope="row">${name}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`;
}
