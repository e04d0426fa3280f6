import type { TextKind } from './rules.ts';

export interface Text {
  kind: TextKind;
  /** One line, without the marks of comments and lists. */
  value: string;
  /** From 1. */
  line: number;
}

const token =
  /(?<block>\/\*[\s\S]*?\*\/)|(?<comment>(?:^|(?<=[\s;{}(,]))\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*)|(?<string>'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`)/gm;
const titleCall = /\b(?:it|test|describe)(?:\.\w+(?:\([^)]*\))?)*\(\s*$/;
const descriptionPlace = /\.describe\(\s*$|\bdescription:\s*$/;
const directive = /^(?:biome-ignore|@ts-|#region|eslint)/;
const fence = /^(?:```|~~~)/;
const wordsOfText = 4;
/** Statements of a database name its columns. */
const sql = /^(?:SELECT|INSERT|UPDATE|DELETE|CREATE|WITH|--)\b/;

/** The comments, test titles and texts of a TypeScript file. Strings of fewer than four words are not prose. */
export function readTypeScript(source: string): Text[] {
  const texts: Text[] = [];
  for (const match of source.matchAll(token)) {
    const kind = kindOf(match, source.slice(Math.max(0, match.index - 60), match.index));
    const value = plain(match[0], kind);
    if (kind === 'comment' ? directive.test(value) : isCode(kind, value)) continue;
    texts.push({ kind, value, line: lineAt(source, match.index) });
  }
  return texts;
}

/** The paragraphs, headings and list items of a Markdown file, without code. */
export function readMarkdown(source: string): Text[] {
  const texts: Text[] = [];
  let open: Text | undefined;
  let isCode = false;
  for (const [index, line] of source.split('\n').entries()) {
    if (fence.test(line.trim())) isCode = !isCode;
    const value = line
      .replace(/`[^`]*`/g, '`…`')
      .replace(/^[\s>#*|-]+|^\s*\d+\.\s/g, '')
      .trim();
    if (isCode || value === '') open = undefined;
    else if (open && !/^\s*(?:[*#|-]|\d+\.)/.test(line)) open.value += ` ${value}`;
    else {
      open = { kind: 'markdown', value, line: index + 1 };
      texts.push(open);
    }
  }
  return texts;
}

function kindOf(match: RegExpMatchArray, before: string): TextKind {
  if (match.groups?.string === undefined) return 'comment';
  if (descriptionPlace.test(before)) return 'description';
  return titleCall.test(before) ? 'title' : 'text';
}

const isCode = (kind: TextKind, value: string) =>
  kind === 'text' && (sql.test(value) || value.split(/\s+/).length < wordsOfText);

const plain = (raw: string, kind: TextKind) =>
  (kind === 'comment'
    ? raw.replace(/^\/\*+|\*\/$/g, '').replace(/^[ \t]*(?:\*|\/\/)/gm, '')
    : raw.slice(1, -1)
  )
    .replace(/`[^`]*`|\$\{[^}]*\}/g, '…')
    .replace(/\s+/g, ' ')
    .trim();

const lineAt = (source: string, index: number) => source.slice(0, index).split('\n').length;
