import { useStarted } from '@keydesk/testing';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { securityEvent } from '../../security-events/security-event.fixture.ts';
import { startOperatedServer } from '../operated-server.fixture.ts';

describe('keydesk security-event', () => {
  const operated = useStarted(() => startOperatedServer());

  it('lists events that wait for a resource server', async () => {
    expect((await operated.run('security-event', 'list')).stdout).toContain('No events found');
    const event = securityEvent();
    await operated.storage.securityEvents.append([event]);
    const { stdout } = await operated.run('security-event', 'list', '--json');
    expect(JSON.parse(stdout)).toEqual([
      {
        id: event.id,
        type: 'account-purged',
        client_id: event.receiver,
        account_id: event.accountId,
        occurred_at: event.occurredAt.toISOString(),
        available_at: event.availableAt.toISOString(),
        expires_at: event.expiresAt.toISOString(),
        rejection: null,
      },
    ]);
    expect((await operated.run('security-event', 'list')).stdout).toContain(event.id);
  });

  it('delivers a rejected event again, and records that', async () => {
    const event = securityEvent({ rejection: 'invalid_key' });
    await operated.storage.securityEvents.append([event]);
    expect((await operated.run('security-event', 'retry', event.id)).code).toBe(0);
    const [listed] = await operated.storage.securityEvents.listDue(event.receiver, event.availableAt, 1);
    expect(listed).toEqual({ ...event, rejection: null });
    const { stdout } = await operated.run('audit', 'list', '--type', 'security_event.', '--json');
    expect(JSON.parse(stdout)).toMatchObject([
      { type: 'security_event.retried', details: { jti: event.id } },
    ]);
  });

  it('rejects an id that no rejected event has', async () => {
    const id = uuidv7();
    expect(await operated.run('security-event', 'retry', id)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`No rejected event has the id ${id}.`),
    });
  });
});
