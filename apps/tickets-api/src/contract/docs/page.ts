import type { OpenApiDocument, SecurityScheme } from '../openapi/document.ts';
import { type DescribedOperation, describeOperations } from './described-operations.ts';
import { type Html, html, inline, prose } from './html.ts';
import { renderCode, renderMethod, renderOperation } from './operation-section.ts';
import { renderSchema } from './schema-table.ts';
import { renderTable } from './table.ts';

/**
 * The contract as a page for people. Everything on it can be read without its script, which adds the buttons and forms.
 * Its links are relative, so that it works behind a proxy that adds a path.
 */
export function renderDocs(document: OpenApiDocument): string {
  const { info, components } = document;
  const operations = describeOperations(document);
  const page = html`<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <title>${info.title}</title>
  <link rel="icon" href="docs/icon.svg" type="image/svg+xml">
  <link rel="stylesheet" href="docs/docs.css">
  <script src="docs/docs.js" type="module"></script>
</head>
<body>
  <a class="skip" href="#main">Skip to the content</a>
  <div class="frame">
    ${renderNavigation(document, operations)}
    <main id="main">
      <header>
        <h1>${info.title}</h1>
        ${prose(info.description)}
        <p>For programs: <a href="openapi.json">openapi.json</a> (OpenAPI ${document.openapi}, JSON alone),
          <a href="openapi-full.json">openapi-full.json</a> (all formats), <a href="schema.xsd">schema.xsd</a> and <a href="problem.xsd">problem.xsd</a> (XML Schema).</p>
      </header>
      ${Object.values(components.securitySchemes).map((scheme) => renderTokens(scheme))}
      ${document.tags.map(({ name }) => renderTag(name, operations))}
      ${renderHeaders(components.headers)}
      <section id="schemas">
        <h2>Schemas</h2>
        ${Object.entries(components.schemas).map(([name, schema]) => renderSchema(name, schema))}
      </section>
    </main>
  </div>
</body>
</html>
`;
  return page.html;
}

function renderNavigation(
  { tags, components }: OpenApiDocument,
  operations: readonly DescribedOperation[],
): Html {
  return html`
    <nav aria-label="Contents">
      <p><a href="#main">Overview</a></p>
      <p><a href="#tokens">Access tokens</a></p>
      ${tags.map(
        ({ name }) => html`
          <h2>${name}</h2>
          <ul>${operations
            .filter(({ tag }) => tag === name)
            .map(
              ({ id, method, summary }) =>
                html`<li><a href="#${id}">${renderMethod(method)} ${summary}</a></li>`,
            )}</ul>`,
      )}
      <h2>Reference</h2>
      <ul><li><a href="#headers">Headers of answers</a></li></ul>
      <ul>${Object.keys(components.schemas).map((name) => html`<li><a href="#schema-${name}">${name}</a></li>`)}</ul>
    </nav>`;
}

function renderHeaders(headers: OpenApiDocument['components']['headers']): Html {
  const rows = Object.entries(headers).map(([name, { description }]) => [
    html`<code id="header-${name}">${name}</code>`,
    html`${inline(description)}`,
  ]);
  return html`
    <section id="headers">
      <h2>Headers of answers</h2>
      ${renderTable(['Name', 'Means'], rows)}
    </section>`;
}

function renderTag(name: string, operations: readonly DescribedOperation[]): Html {
  return html`
    <section aria-labelledby="tag-${name}">
      <h2 id="tag-${name}">${name}</h2>
      ${operations.filter(({ tag }) => tag === name).map(renderOperation)}
    </section>`;
}

function renderTokens({ description, flows }: SecurityScheme): Html {
  const { tokenUrl, scopes } = flows.clientCredentials;
  const { authorizationUrl } = flows.authorizationCode;
  const names = Object.keys(scopes);
  const curl = `TOKEN=$(curl -s -u "$CLIENT_ID:$CLIENT_SECRET" -d grant_type=client_credentials \\
  --data-urlencode 'scope=${names.join(' ')}' '${tokenUrl}' | jq -r .access_token)`;
  return html`
    <section id="tokens">
      <h2>Access tokens</h2>
      ${prose(description)}
      <p class="line">An application of people signs them in at <code>${authorizationUrl}</code> and redeems the code at
        <code>${tokenUrl}</code>, with PKCE (RFC 6749 §4.1, RFC 7636).</p>
      <p>A machine client fetches one with its own credentials (RFC 6749 §4.4):</p>
      ${renderCode(curl)}
      <form id="token-form" data-token-url="${tokenUrl}" hidden>
        <p>Fetch one here, or paste that of a person, to try the operations below. It is kept on this page only, until you
          leave or reload it.</p>
        <div class="fields">
          <div><label for="client-id">Client id</label><input id="client-id" name="client_id" autocomplete="off" required></div>
          <div><label for="client-secret">Client secret</label><input id="client-secret" name="client_secret" type="password" autocomplete="off" required></div>
        </div>
        <fieldset>
          <legend>Scopes</legend>
          ${Object.entries(scopes).map(
            ([scope, meaning]) =>
              html`<label><input type="checkbox" name="scope" value="${scope}" checked> <code>${scope}</code> ${meaning}</label>`,
          )}
        </fieldset>
        <button type="submit">Fetch a token</button>
        <div class="result" role="status"></div>
        <div><label for="access-token">Access token</label><input id="access-token" autocomplete="off" spellcheck="false"></div>
      </form>
    </section>`;
}
