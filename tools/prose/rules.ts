export interface Rule {
  /** Matches the text that breaks the rule. */
  pattern: RegExp;
  /** The words to write instead. */
  instead: string;
  /** The kinds of text that the rule covers; all of them when absent. */
  kinds?: readonly TextKind[];
}

/**
 * `comment`: the whole comment; `title`: a test's title; `description`: of a setting or a field of the contract; `text`:
 * a string of several words; `markdown`: a paragraph.
 */
export type TextKind = 'comment' | 'title' | 'description' | 'text' | 'markdown';

/** All kinds except error and help texts. */
const prose: readonly TextKind[] = ['comment', 'title', 'description', 'markdown'];

/** The word list of the project's English. The field's terms are preferred to paraphrases of them. */
export const rules: readonly Rule[] = [
  {
    pattern: /^(?:what|who|how|those|whoever|whatever|somebody|nobody)\b(?!.*\?)/i,
    instead: 'begin with what the thing is or does: subject, verb, object',
    kinds: ['comment'],
  },
  {
    pattern: /^(?:what|who|how|when|where|which|as|of|those)\b/i,
    instead: 'begin with a noun: "Time of the last change"',
    kinds: ['description'],
  },
  {
    pattern: /\b(?:somebody|someone|nobody|no one|whoever|anybody|everybody|whomever)\b/i,
    instead: 'client, user, agent, administrator, operator, process, caller',
  },
  { pattern: /\b(?:those|that) (?:who|that|which)\b/i, instead: 'the noun: "tickets that", "clients that"' },
  {
    pattern: /\b(?:tell|tells|telling|told)\b/i,
    instead: 'return, report, record, send, show, log, distinguish',
  },
  { pattern: /\b(?:hear|hears|heard)\b/i, instead: 'receive, be notified of' },
  { pattern: /\b(?:knows|know|knew)\b/i, instead: 'store, hold, recognize, depend on' },
  { pattern: /\b(?:forgets|forgetting|forgotten)\b/i, instead: 'delete, purge, drop, expire' },
  { pattern: /\b(?:is|are|was|be|not) noticed\b|\bnotices (?:that|a|the)\b/i, instead: 'detect, find' },
  { pattern: /\b(?:meets|met)\b(?! with)/i, instead: 'encounters, satisfies, matches' },
  { pattern: /, for (?!example|instance)/, instead: '"because", or a new sentence' },
  {
    pattern: /\b(?:there (?:is|are|must be) none|of none)\b/i,
    instead: 'say what is absent: "no key exists"',
  },
  { pattern: /\bbut for\b/i, instead: 'except' },
  { pattern: /\bin vain\b/i, instead: 'without success, fails' },
  { pattern: /\bright now\b/i, instead: 'temporarily, currently' },
  { pattern: /\b(?:can(?:not)?|could|may) be had\b/i, instead: 'available, unavailable' },
  { pattern: /\bof (?:before|then|old)\b/i, instead: 'previous, earlier' },
  {
    pattern: /\bis (?:said|told|wanted|heard|asked) of\b/i,
    instead: 'a noun: the request, the report, the goal',
  },
  {
    pattern: /\b(?:the|is|are|was|were) gone\b/i,
    instead: 'deleted, removed, expired',
    kinds: ['comment', 'title'],
  },
  { pattern: /\blooked at\b/i, instead: 'read, examined, checked', kinds: ['comment', 'title'] },
  {
    pattern: /, also (?:after|among|as|at|by|from|if|in|on|when|where|while|with|without)\b/i,
    instead: '"even" or "including"',
    kinds: prose,
  },
  { pattern: /\bmeanwhile(?=[.,)]|$)/i, instead: 'in the meantime', kinds: prose },
  { pattern: /\b(?:is|puts \S+) on record\b/i, instead: 'is recorded, records', kinds: prose },
  { pattern: /\b(?:now and then|seldom)\b/i, instead: 'periodically, rarely', kinds: prose },
  {
    pattern: /(?<!\bthere )\b(?:is|are) no (?!less|longer|more|newer|older|one|such)\w+/i,
    instead: 'is not a …',
    kinds: prose,
  },
  { pattern: /\b(?:is|are|was) away\b/i, instead: 'down, unavailable', kinds: prose },
  { pattern: /\bthe own\b/i, instead: 'a possessive: "the client’s own tokens"', kinds: prose },
];
