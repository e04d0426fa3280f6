import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describeWith, useStarted } from '@keydesk/testing';
import { describe, expect, test } from 'vitest';
import { startApi } from '../../apps/tickets-api/src/tests/api.fixture.ts';

const run = promisify(execFile);

/** Runs a script with the modules of the fuzzer; resolves with its JSON output. */
async function runBeside(python: string, script: string, env: Record<string, string> = {}): Promise<unknown> {
  const { stdout } = await run(python, ['-B', '-c', script], {
    cwd: import.meta.dirname,
    env: { ...process.env, ...env },
  });
  return JSON.parse(stdout);
}

describeWith('python-clients', 'the fuzzer of the contract', (python) => {
  describe('its state check', () => {
    const api = useStarted(startApi);

    test('relaxes definitions that block all tickets, and reports blocked tickets', async () => {
      const scope = 'tickets:read tickets:write';
      const token = api.issuer.token({ role: 'admin', scope });
      const definition = { key: 'floor', title: 'Floor', type: 'text', required_on: ['create'] };
      const headers = { Authorization: `Bearer ${token}` };
      const { json: field } = await api.request('POST', '/ticket_fields.json', definition, headers);
      const script = [
        'import json, world',
        'world.check_that_tickets_can_be_made()',
        'before = list(world.faults)',
        'world.faults.clear()',
        'world.relax_definitions()',
        'world.check_that_tickets_can_be_made()',
        'print(json.dumps([before, world.faults]))',
      ].join('\n');
      const env = { API_URL: api.url, API_TOKEN: token, API_ROLE: 'admin' };
      expect(await runBeside(python, script, env)).toEqual([
        [expect.stringMatching(/^POST \/tickets .*: 400 .*custom_fields\.floor/)],
        [],
      ]);
      const { json } = await api.request('GET', `/ticket_field/${field.id}.json`, undefined, headers);
      expect(json.required_on).toEqual([]);
    });
  });

  describe('its expected rejections', () => {
    test.each([
      ['GET /tickets.{format}', 'validation_failed', 'cursor', 'invalid_value', true],
      ['POST /tickets.{format}', 'validation_failed', 'cursor', 'invalid_value', false],
      ['GET /tickets.{format}', 'invalid_token', 'cursor', 'invalid_value', false],
      ['GET /tickets.{format}', 'validation_failed', 'cursor', 'required', false],
      ['GET /tickets.{format}', 'validation_failed', 'cursors', 'invalid_value', false],
      ['POST /tickets.{format}', 'validation_failed', 'cc[3].email', 'invalid_value', true],
      ['POST /tickets.{format}', 'validation_failed', 'subject', 'invalid_value', false],
      ['GET /ticket/{ticket_id}.{format}', 'not_found', null, null, true],
      ['GET /tickets.{format}', 'not_found', null, null, false],
      ['GET /tickets.{format}', 'forbidden', null, null, false],
    ])('match by field and code: %s %s %s %s: %s', async (label, code, field, fault, isExcused) => {
      const script = [
        'import json',
        'from types import SimpleNamespace as Of',
        'from excuses import is_excused_refusal',
        `label, problem = json.loads(${JSON.stringify(JSON.stringify([label, toProblem(code, field, fault)]))})`,
        'operation = Of(label=label, definition=Of(raw={}))',
        'case = Of(operation=operation, media_type=None, body=None, query=None)',
        'print(json.dumps(is_excused_refusal(case, Of(status_code=400), problem, "admin", {})))',
      ].join('\n');
      expect(await runBeside(python, script)).toBe(isExcused);
    });
  });
});

/** Creates a problem whose message contains the words of every rule, which must be ignored. */
function toProblem(code: string, field: string | null, fault: string | null) {
  const message = 'of the ticket "field":"cursor","code":"read_only" duplicate_field';
  return { code, detail: message, ...(field && { errors: [{ field, code: fault, message }] }) };
}
