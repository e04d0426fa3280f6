import { createSecretKey, hash, randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { assembleClients } from '../../composition/clients.ts';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import { MAX_LOGO_BYTES } from './client-logo.ts';
import { jpeg, png, pngChunk, webp, webpChunks } from './image.fixture.ts';

const derived = { clientSecrets: createSecretKey(randomBytes(32)) };
const verification = { kind: 'verification', role: null, reason: 'We print your tickets.' } as const;

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const time = { now: Date.parse('2026-03-01T12:00:00.123Z') };
  const clients = () => assembleClients({ storage: storage.get(), derived, now: () => new Date(time.now) });
  const find = (id: string) => storage.get().clients.findLogo(id);
  const faultOf = (err: { code: string; errors: readonly { field: string; code: string }[] }) =>
    err.code === 'validation_failed' && err.errors.map(({ field, code }) => `${field} ${code}`).join();

  async function register() {
    const request = {
      type: 'spa' as const,
      name: 'Printshop',
      scopes: [],
      redirectUris: ['https://a.example/'],
    };
    return (await clients().register(request, { id: uuidv7(), limit: 1 })).client;
  }

  describe('the logo of a client', () => {
    it.each([
      ['image/png', png()],
      ['image/jpeg', jpeg()],
      ['image/webp', webp(webpChunks.lossless)],
    ])('is stored with the media type of its content: %s', async (mediaType, file) => {
      const { id } = await register();
      const digest = hash('sha256', file, 'base64url');
      const client = await clients().setLogo(id, file);
      expect(client).toMatchObject({ logoDigest: digest, version: 2 });
      expect(await clients().get(id)).toEqual(client);
      expect(await find(id)).toEqual({ mediaType, digest, bytes: file, createdAt: new Date(time.now) });
    });

    it.each([
      ['logo_missing', Buffer.alloc(0)],
      ['logo_too_large', png({ chunks: [pngChunk('tEXt', randomBytes(MAX_LOGO_BYTES))] })],
      ['logo_unsupported', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
      ['logo_damaged', png().subarray(0, -1)],
      ['logo_animated', png({ chunks: [pngChunk('acTL', Buffer.alloc(8))] })],
      ['logo_dimensions', png({ width: 15, height: 16 })],
      ['logo_dimensions', png({ width: 16, height: 2_049 })],
    ])('is rejected as %s, and the current logo stays', async (code, file) => {
      const { id } = await register();
      const before = await clients().setLogo(id, png());
      await expect(clients().setLogo(id, file).catch(faultOf)).resolves.toBe(`logo ${code}`);
      expect(await clients().get(id)).toEqual(before);
      expect((await find(id))?.digest).toBe(before.logoDigest);
    });

    it('has 16 to 2,048 pixels on each side, and up to 200 KB', async () => {
      const { id } = await register();
      for (const file of [png({ width: 16 }), png({ width: 2_048, height: 16 })])
        await expect(clients().setLogo(id, file)).resolves.toMatchObject({ id });
      const padding = MAX_LOGO_BYTES - png({ chunks: [pngChunk('sBIT')] }).length;
      const largest = png({ chunks: [pngChunk('sBIT', randomBytes(padding))] });
      expect(largest).toHaveLength(MAX_LOGO_BYTES);
      await clients().setLogo(id, largest);
      expect((await find(id))?.bytes).toEqual(largest);
    });

    it('can be replaced and removed, and is removed with its client', async () => {
      const { id } = await register();
      await clients().setLogo(id, png());
      expect(await clients().setLogo(id, jpeg())).toMatchObject({ version: 3 });
      expect(await find(id)).toMatchObject({ mediaType: 'image/jpeg' });
      expect(await clients().setLogo(id, null)).toMatchObject({ logoDigest: null });
      expect(await find(id)).toBeUndefined();
      await clients().setLogo(id, png());
      await clients().remove(id);
      expect(await find(id)).toBeUndefined();
    });

    it('stays when other members of the client change', async () => {
      const { id } = await register();
      const { logoDigest, scopes } = await clients().setLogo(id, png());
      expect(await clients().edit(id, { name: 'Another', scopes }, 2)).toMatchObject({ logoDigest });
      expect(await clients().setStatus(id, 'disabled')).toMatchObject({ logoDigest });
      expect(await find(id)).toBeDefined();
    });

    it('is not set for an unknown client', async () => {
      await expect(clients().setLogo('nobody', png())).rejects.toMatchObject({ code: 'not_found' });
      expect(await find('nobody')).toBeUndefined();
    });
  });

  describe('another logo', () => {
    it('ends the verification of a developer’s client; the same logo or no logo does not', async () => {
      const { id } = await register();
      await clients().setVerified(id, true);
      expect(await clients().setLogo(id, png())).toMatchObject({ isVerified: false });
      await clients().setVerified(id, true);
      expect(await clients().setLogo(id, png())).toMatchObject({ isVerified: true });
      expect(await clients().setLogo(id, null)).toMatchObject({ isVerified: true });
      expect(await clients().setLogo(id, png())).toMatchObject({ isVerified: false });
    });

    it('withdraws a pending request, because an operator would review a different application', async () => {
      const { id } = await register();
      await clients().requestTrust(id, verification);
      const { trustRequests } = await clients().setLogo(id, png());
      expect(trustRequests.verification).toMatchObject({ status: 'withdrawn', closedAt: new Date(time.now) });
    });

    it('does not end the verification of an operator’s client', async () => {
      const { client } = await clients().add({ type: 'machine', name: 'Importer', scopes: [] });
      expect(await clients().setLogo(client.id, png())).toMatchObject({ isVerified: true });
    });
  });
});
