import { describeWith, type Service, useStarted } from '@keydesk/testing';
import { expect, test } from 'vitest';
import { expectedReport } from './client.ts';
import { generatedClients } from './clients.ts';
import { startDemoKeydesk } from './demo-keydesk.ts';
import { runClient } from './run-client.ts';

/** Clients that take only seconds; tools/generated-clients.sh runs all. */
const quick: readonly [language: string, service: Service][] = [
  ['typescript', 'openapi-tools'],
  ['python', 'openapi-python-client'],
];

for (const [language, service] of quick) {
  describeWith(service, `a generated client in ${language}`, () => {
    const keydesk = useStarted(startDemoKeydesk);

    test('compiles, creates, lists, edits, detects a conflict and follows changes', async () => {
      const client = generatedClients.find((each) => each.language === language);
      if (!client) throw new Error(`No client in ${language}.`);
      const { report } = await runClient(client, keydesk);
      expect(report).toEqual(expectedReport);
    });
  });
}
