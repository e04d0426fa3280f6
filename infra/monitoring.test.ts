import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createMetrics } from '@keydesk/server';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';

interface Rule {
  record?: string;
  alert?: string;
  expr: string;
  labels?: { severity: string };
  annotations?: { summary: string; description: string; runbook_url: string };
}

interface Panel {
  id: number;
  type: string;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string }[];
}

interface Dashboard {
  uid: string;
  title: string;
  panels: Panel[];
}

const folder = import.meta.dirname;
const read = (path: string) => readFileSync(join(folder, path), 'utf8');
const { groups } = parse(read('prometheus/alerts.yml')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const alerts = rules.flatMap((rule) => (rule.alert === undefined ? [] : [{ ...rule, alert: rule.alert }]));
const dashboards = readdirSync(join(folder, 'grafana'))
  .filter((name) => name.endsWith('.json'))
  .map((name) => JSON.parse(read(`grafana/${name}`)) as Dashboard);

/** Names of all metrics: those on the page of metrics, those of prom-client, and recorded ones. */
const known = new Set<string>();

beforeAll(async () => {
  const listed = /^\| (`[^|]+) \| (?:both|API|auth) \| (\w+) \|/gm;
  for (const [, names = '', type] of read('../docs/operations/metrics.md').matchAll(listed)) {
    for (const [, name = ''] of names.matchAll(/`(\w+)`/g)) {
      const suffixes = type === 'histogram' ? ['_bucket', '_count', '_sum'] : [''];
      for (const suffix of suffixes) known.add(name + suffix);
    }
  }
  const listening = await createMetrics().serve({ host: '127.0.0.1', port: 0 });
  const text = await (await fetch(`${listening.url}/metrics`)).text();
  await listening.close();
  for (const [, name = ''] of text.matchAll(/^# TYPE (\w+)/gm)) known.add(name);
  for (const { record } of rules) if (record) known.add(record);
  // Prometheus itself records whether a target responds.
  known.add('up');
});

const words: ReadonlySet<string> = new Set(['and', 'or', 'unless', 'on', 'by', 'group_left', 'bool']);

/** Returns the names of metrics in an expression: no function, no keyword, nothing in braces, brackets or `by (…)`. */
function metricsIn(expr: string): string[] {
  const bare = expr.replaceAll(/\{[^}]*\}|\[[^\]]*\]|\b(?:by|on) \([^)]*\)/g, ' ');
  const names = bare.matchAll(/\b[a-z_][\w:]*\b(?!\s*\()/gi);
  return [...names].map(([name]) => name).filter((name) => !words.has(name) && !/^e\d*$/.test(name));
}

function expectKnown(expr: string): void {
  const names = metricsIn(expr);
  expect(names.length, expr).toBeGreaterThan(0);
  for (const name of names) expect([...known], expr).toContain(name);
}

describe('the alerts', () => {
  test('and recording rules use metrics that exist', () => {
    for (const { expr } of rules) expectKnown(expr);
  });

  test('have a severity, a summary and a page of the runbook; each page has an alert', () => {
    const url = 'https://github.com/keydesk/keydesk/blob/main/infra/runbook/';
    for (const { alert, labels, annotations } of alerts) {
      expect(['page', 'ticket'], alert).toContain(labels?.severity);
      expect(annotations?.summary, alert).toMatch(/./);
      expect(annotations?.runbook_url, alert).toMatch(url);
      expect(read(`runbook/${basename(annotations?.runbook_url ?? '')}`), alert).toMatch(`# ${alert}\n`);
    }
    const pages = readdirSync(join(folder, 'runbook')).filter((name) => name !== 'README.md');
    const linked = alerts.map(({ annotations }) => basename(annotations?.runbook_url ?? ''));
    expect(pages.toSorted()).toEqual(linked.toSorted());
  });

  test('each have a test in which they fire and one in which they are quiet', () => {
    const { tests } = parse(read('prometheus/alerts.test.yml')) as { tests: { name: string }[] };
    const expected = alerts.flatMap(({ alert }) => [`${alert} fires`, `${alert} is quiet`]);
    expect(tests.map(({ name }) => name).toSorted()).toEqual(expected.toSorted());
  });
});

describe.each(dashboards)('the dashboard $title', ({ uid, panels }) => {
  test('has an id of its own, and panels that do not overlap', () => {
    expect(dashboards.filter((each) => each.uid === uid)).toHaveLength(1);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
  });

  test('shows metrics that exist', () => {
    const shown = panels.filter(({ type }) => type !== 'row');
    expect(shown.length).toBeGreaterThan(6);
    for (const { title, targets = [] } of shown) {
      expect(targets.length, title).toBeGreaterThan(0);
      for (const { expr } of targets) expectKnown(expr);
    }
  });
});
