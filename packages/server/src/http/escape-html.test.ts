import { expect, it } from 'vitest';
import { escapeHtml } from '../index.ts';

it('escapes tags and attribute quotes (OWASP ASVS 5.0 §1.2.1)', () => {
  expect(escapeHtml(`<a href="x" title='y'>&amp;</a>`)).toBe(
    '&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;',
  );
});
