import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startKeydesk } from './keydesk.fixture.ts';

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const pages = globSync('docs/{connect.md,connect/*.md}', { cwd: root }).map((file) => ({
  file,
  text: read(file),
}));

/** Code blocks that name the tested program they are taken from. */
const excerpts = pages.flatMap(({ file, text }) =>
  [...text.matchAll(/<!-- (\S+) -->\n```\w+\n(.*?)```/gs)].map(([, program = '', code = '']) => ({
    file,
    program,
    paragraphs: code.split('\n\n').map(withoutIndentation),
  })),
);

/** Commands of the shell blocks as argument lists. */
const commands = pages.flatMap(({ text }) =>
  [...text.matchAll(/npm run -s keydesk -- ((?:.*\\\n)*.*)/g)].map(([, line = '']) =>
    [...line.replaceAll('\\\n', '').matchAll(/"([^"]*)"|(\S+)/g)].map(
      ([, quoted, bare]) => quoted ?? bare ?? '',
    ),
  ),
);

function withoutIndentation(code: string): string {
  return code.trim().replaceAll(/^[ \t]+/gm, '');
}

describe('docs/connect', () => {
  it.each(excerpts)('$file shows tested code: $program', ({ program, paragraphs }) => {
    const tested = withoutIndentation(read(program));
    for (const paragraph of paragraphs) expect(tested).toContain(paragraph);
  });

  it('shows an excerpt of every client program of the suite', () => {
    const programs = globSync('tools/interop/{javascript,python,go/*,apache}/*.{ts,js,py,go,conf}', {
      cwd: root,
    });
    expect(programs.toSorted()).toEqual([...new Set(excerpts.map(({ program }) => program))].toSorted());
  });

  it('contains commands that register and change clients', async () => {
    const keydesk = await startKeydesk();
    onTestFinished(keydesk.stop);
    const { CLIENT_ID = '' } = await keydesk.register(
      'Edited',
      'web',
      '--redirect-uri',
      'https://app.example/',
    );
    for (const args of commands)
      await keydesk.run(...args.map((word) => word.replace(/^(\$CLIENT_ID|<client-id>)$/, CLIENT_ID)));
    expect(commands.length).toBeGreaterThan(pages.length);
  });
});
