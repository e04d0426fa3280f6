import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

// Compares the known vulnerabilities of the lock file in the working directory with a budget:
//
//   node tools/audit.ts [BUDGET.json]
//
// The answer changes with the day and not with the commit, so it runs by itself and is not part of .ci/run. It succeeds
// with a note when the registry can't be asked.

type Severity = 'info' | 'low' | 'moderate' | 'high' | 'critical';

/** Number of advisories allowed by severity; a severity that is missing is reported and not limited. */
type Limits = Partial<Record<Severity, number>>;

interface Budget {
  /** Limits for production dependencies. */
  production: Limits;
  /** Limits for all dependencies, including development tools. */
  all: Limits;
  /** Advisories that are ignored until a day, such as 2027-01-31. */
  accepted: { url: string; reason: string; until: string }[];
}

interface Advisory {
  url: string;
  name: string;
  title: string;
  severity: Severity;
}

/** Members of `npm audit --json` that are read; a registry that can't be asked leaves `vulnerabilities` out. */
interface Report {
  vulnerabilities?: Record<string, { via: (string | Advisory)[] }>;
  message?: string;
}

const [budgetFile = join(import.meta.dirname, 'audit-budget.json')] = process.argv.slice(2);
const budget: Budget = JSON.parse(readFileSync(budgetFile, 'utf8'));
const today = new Date().toISOString().slice(0, 10);

/** Advisories of what is installed; undefined when the registry can't be asked. */
function findAdvisories(...options: string[]): Advisory[] | undefined {
  const args = ['audit', '--json', '--package-lock-only', ...options];
  const { stdout } = spawnSync('npm', args, { encoding: 'utf8', shell: process.platform === 'win32' });
  const report = parseReport(stdout);
  if (report.vulnerabilities === undefined) {
    console.log(`Not audited: the registry can't be asked. ${report.message ?? ''}`.trim());
    return undefined;
  }
  const found = Object.values(report.vulnerabilities)
    .flatMap(({ via }) => via)
    .filter((cause) => typeof cause !== 'string');
  return [...new Map(found.map((advisory) => [`${advisory.name} ${advisory.url}`, advisory])).values()];
}

function parseReport(text: string): Report {
  try {
    return JSON.parse(text);
  } catch {
    return { message: text };
  }
}

/** Prints the advisories and returns whether they exceed the limits. */
function exceeds(scope: string, advisories: readonly Advisory[], limits: Limits): boolean {
  const counted = advisories.filter(({ url }) => !isAccepted(url));
  const count = (severity: Severity) => counted.filter((advisory) => advisory.severity === severity).length;
  for (const { severity, name, title, url } of advisories)
    console.log(`${scope}: ${severity}: ${name}: ${title} ${url}${isAccepted(url) ? ' (accepted)' : ''}`);
  const excess = Object.entries(limits).filter(([severity, most]) => count(severity as Severity) > most);
  for (const [severity, most] of excess)
    console.error(`${scope}: ${count(severity as Severity)} ${severity}, allowed ${most}`);
  if (excess.length === 0) console.log(`${scope}: within the budget (${advisories.length} advisories).`);
  return excess.length > 0;
}

function isAccepted(url: string): boolean {
  return budget.accepted.some((entry) => entry.url === url && today <= entry.until);
}

const production = findAdvisories('--omit=dev');
const all = production && findAdvisories();
if (production && all) {
  const results = [exceeds('production', production, budget.production), exceeds('all', all, budget.all)];
  process.exitCode = results.includes(true) ? 1 : 0;
}
