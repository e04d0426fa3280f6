import type { Deployment } from './deployment.ts';

/** One command of the suite's scripted browser with its arguments. */
type Command = readonly (string | number)[];

interface Task {
  task: string;
  /** URL pattern of the page. */
  match: string;
  /** Whether the task is skipped on other pages. */
  optional?: boolean;
  commands?: readonly Command[];
}

/** Tasks of the scripted browser for URLs that match a pattern. */
export interface Automation {
  match: string;
  /** Number of visits after which the next matching automation applies. */
  'match-limit'?: number;
  tasks: readonly Task[];
}

export type Browser = ReturnType<typeof createBrowser>;

const PAGE_SECONDS = 10;

/** Creates automations of the suite's scripted browser for our pages, identified by element ids. */
export function createBrowser({ issuer, account }: Pick<Deployment, 'issuer' | 'account'>) {
  const page = { match: `${issuer}/interaction/*` };
  const credentials: readonly Command[] = [
    ['text', 'id', 'email', account.email, 'optional'],
    ['text', 'id', 'password', account.password, 'optional'],
    ['click', 'css', '#sign-in [type=submit]', 'optional'],
  ];
  const signIn: Task = { task: 'Sign in', optional: true, ...page, commands: credentials };
  const signInAgain: Task = { ...signIn, commands: [show('Please sign in again'), ...credentials] };
  const allow: Task = {
    task: 'Allow',
    optional: true,
    ...page,
    commands: [['click', 'id', 'allow', 'optional']],
  };
  const cancel: Task = { task: 'Cancel', ...page, commands: [['click', 'id', 'cancel']] };
  const atClient: Task = {
    task: 'Return',
    match: '*/test/*/callback*',
    commands: [['wait', 'id', 'submission_complete', PAGE_SECONDS]],
  };
  const see = (words: string): Task => ({ task: 'See', match: `${issuer}/*`, commands: [show(words)] });
  const authorize = (...tasks: Task[]): Automation => ({ match: `${issuer}/auth*`, tasks });

  const endSession = { match: `${issuer}/session/end*` };
  const confirm: Task = { task: 'Confirm', ...endSession, commands: [['click', 'id', 'confirm']] };
  const logOut = (...tasks: Task[]): Automation => ({ ...endSession, tasks });

  return {
    /** Signs in if requested and allows the request. */
    allows: authorize(signIn, allow, atClient),
    /** Signs in again although a session exists, and allows the request. */
    allowsAgain: authorize(signInAgain, allow, atClient),
    cancels: authorize(cancel, atClient),
    looksAway: authorize({ task: 'Do nothing', ...page, commands: [] }),
    isRefused: (words: string) => authorize(see(words)),
    logsOut: logOut(confirm, { task: 'Return', match: '*/test/*/post_logout_redirect*' }),
    isLoggedOut: (words: string) => logOut(confirm, see(words)),
    isRefusedLogOut: (words: string) => logOut(see(words)),
  };
}

/** Takes a screenshot of a page with these words for the suite's reviewers. */
function show(words: string): Command {
  return ['wait', 'xpath', '//*', PAGE_SECONDS, words, 'update-image-placeholder'];
}

/** Limits an automation to the first visit. */
export function once(automation: Automation): Automation {
  return { ...automation, 'match-limit': 1 };
}
