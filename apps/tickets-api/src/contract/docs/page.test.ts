import { describe, expect, test } from 'vitest';
import { createDocument } from '../openapi/create-document.ts';
import { operations } from '../operations.ts';
import { html } from './html.ts';
import { renderDocs } from './page.ts';

const document = createDocument(operations, {
  baseUrl: 'https://api.example/helpdesk',
  issuer: 'https://auth.example',
  rateLimitStatus: 421,
});
const page = renderDocs(document);

describe('the page', () => {
  test('lists every operation with its method, path, parameters, answers and a command to paste', () => {
    for (const { id, method, path, query } of operations) {
      const article = new RegExp(`<article id="${id}">.*?</article>`, 's').exec(page)?.[0] ?? '';
      expect(article).toContain(`>${method}</span> <code>${path}.{format}</code>`);
      expect(article).toContain('curl -s');
      expect(article).toContain('https://api.example/helpdesk/');
      for (const name of Object.keys(query?.shape ?? {})) expect(article).toContain(`<code>${name}</code>`);
      for (const status of ['401', '403', '421', '500']) expect(article).toContain(`<code>${status}</code>`);
    }
  });

  test('describes streams with a command that shows what comes, and no form, which would wait for an end', () => {
    const article = /<article id="streamChanges">.*?<\/article>/s.exec(page)?.[0] ?? '';
    expect(article).toContain('<code>Last-Event-ID</code>');
    expect(article).toContain('curl -sN');
    expect(article).not.toContain('<form');
  });

  test('lets the addresses of the authorization server break, which may be longer than a screen is wide', () => {
    expect(page).toMatch(/<p class="line">An application[^<]*<code>https:\/\/auth\.example\/auth<\/code>/);
  });

  test('has every schema, and leads to nothing that it does not have', () => {
    for (const name of Object.keys(document.components.schemas))
      expect(page).toContain(`id="schema-${name}"`);
    const targets = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    expect(targets.filter((id) => !page.includes(`id="${id}"`))).toEqual([]);
  });

  test('has no script, style or handler of its own, and loads nothing from elsewhere', () => {
    expect(page).not.toMatch(/<style|style=| on\w+=|javascript:/);
    expect(page.match(/<script[^>]*>/g)).toEqual(['<script src="docs/docs.js" type="module">']);
    expect([...page.matchAll(/(?:src|href)="(?:https?:)?\/\/[^"]*"/g)]).toEqual([]);
  });
});

describe('html', () => {
  test('escapes texts wherever they stand, and leaves pieces as they are', () => {
    const text = `<b title="x">'&`;
    expect(html`<p title="${text}">${text}${html`<i>${text}</i>`}</p>`.html).toBe(
      '<p title="&lt;b title=&quot;x&quot;&gt;&#39;&amp;">&lt;b title=&quot;x&quot;&gt;&#39;&amp;<i>&lt;b title=&quot;x&quot;&gt;&#39;&amp;</i></p>',
    );
  });

  test('leaves out what is not there', () => {
    expect(html`<p>${undefined}${false}${0}${[html`a`, html`b`]}</p>`.html).toBe('<p>0ab</p>');
  });
});
