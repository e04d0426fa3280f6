import type { Deployment } from './deployment.ts';

/** One step of the suite's scripted browser: what it does, and its arguments. */
type Command = readonly (string | number)[];

interface Task {
  task: string;
  /** Pattern of the address of the page that it is for. */
  match: string;
  /** Whether it is passed over on other pages. */
  optional?: boolean;
  commands?: readonly Command[];
}

/** What the scripted browser does where it is sent to an address that matches a pattern. */
export interface Automation {
  match: string;
  /** After so many visits the next automation that matches is taken. */
  'match-limit'?: number;
  tasks: readonly Task[];
}

export type Browser = ReturnType<typeof createBrowser>;

const PAGE_SECONDS = 10;

/** How the suite's scripted browser goes through our pages, which it knows by their ids. */
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
    task: 'Be back',
    match: '*/test/*/callback*',
    commands: [['wait', 'id', 'submission_complete', PAGE_SECONDS]],
  };
  const see = (words: string): Task => ({ task: 'See', match: `${issuer}/*`, commands: [show(words)] });
  const authorize = (...tasks: Task[]): Automation => ({ match: `${issuer}/auth*`, tasks });

  const endSession = { match: `${issuer}/session/end*` };
  const confirm: Task = { task: 'Confirm', ...endSession, commands: [['click', 'id', 'confirm']] };
  const logOut = (...tasks: Task[]): Automation => ({ ...endSession, tasks });

  return {
    /** Signs in where asked to, and allows what is asked for. */
    allows: authorize(signIn, allow, atClient),
    /** The same where the password must be asked for again. */
    allowsAgain: authorize(signInAgain, allow, atClient),
    cancels: authorize(cancel, atClient),
    looksAway: authorize({ task: 'Do nothing', ...page, commands: [] }),
    isRefused: (words: string) => authorize(see(words)),
    logsOut: logOut(confirm, { task: 'Be back', match: '*/test/*/post_logout_redirect*' }),
    isLoggedOut: (words: string) => logOut(confirm, see(words)),
    isRefusedLogOut: (words: string) => logOut(see(words)),
  };
}

/** Takes a picture of a page with those words, which the suite's reviewers look at. */
function show(words: string): Command {
  return ['wait', 'xpath', '//*', PAGE_SECONDS, words, 'update-image-placeholder'];
}

/** An automation for the first visit only. */
export function once(automation: Automation): Automation {
  return { ...automation, 'match-limit': 1 };
}
