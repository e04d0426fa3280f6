import { describe, expect, test } from 'vitest';
import { renderMarkdown } from './markdown.ts';

const render = (markdown: string) => renderMarkdown(markdown, (href) => href).body.html;

describe('renderMarkdown', () => {
  test('gives headings the same ids as GitHub, numbered where they repeat', () => {
    const { sections } = renderMarkdown('# A `b` & C\n\n## not_found\n\n## Not_found\n', () => undefined);
    expect(sections.map(({ id }) => id)).toEqual(['a-b--c', 'not_found', 'not_found-1']);
    expect(render('## Über *alles*\n')).toBe('<h2 id="über-alles">Über <em>alles</em></h2>\n');
  });

  test('drops raw HTML and escapes text, code and link targets', () => {
    expect(render('<script>alert(1)</script>\n\na <b onclick="x">b</b> & `<i>`\n')).toBe(
      '<p>a b &amp; <code>&lt;i&gt;</code></p>\n',
    );
    expect(render('```\n<script>\n```\n')).toContain('<code>&lt;script&gt;\n</code>');
    expect(render('[x](<https://a.example/"onload="y>)')).toContain(
      'href="https://a.example/&quot;onload=&quot;y"',
    );
  });

  test('keeps only the text of images and of links whose target is not served', () => {
    expect(renderMarkdown('See [the *file*](x.md) ![a chart](y.png).', () => undefined).body.html).toBe(
      '<p>See the <em>file</em> a chart.</p>\n',
    );
  });

  test('collects the text of each section in one line, including tables and lists but no comments', () => {
    const markdown =
      '# A\n\n<!-- hidden -->\nOne `two`\nthree.\n\n* four\n* [five](x)\n\n| six | seven |\n|---|---|\n| **8** | 9 |\n';
    const [section] = renderMarkdown(markdown, () => undefined).sections;
    expect(section?.text).toBe('One two three. four five six seven 8 9');
  });
});
